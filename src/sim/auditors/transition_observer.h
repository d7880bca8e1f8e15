// Observes lookups in the transition tables by the simulated engines: counts each lookup, and returns the changed cell
// of a mutant. Only lookups of committed batches count. If another engine changed the rows, the commit fails with a
// conflict and its decisions are discarded (ADR 0018), even if they looked up an impossible cell.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fsm/table.h"
#include "sim/auditors/auditor.h"
#include "sim/mutation/mutant.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// Used by all engines of one simulation run.
class TransitionObserver final : public fsm::CellWatch {
 public:
  /// A cell lookup for the current batch, and the faults in the last minute and since the start.
  struct Lookup {
    CellId cell;
    fsm::CellKind kind;
    FaultMask lately;
    FaultMask ever;
  };

  TransitionObserver(const SimScheduler& scheduler, Auditor& auditor, const std::optional<Mutant>& mutant)
      : scheduler_(scheduler), auditor_(auditor), mutant_(mutant) {}

  fsm::SeenCell asked(std::string_view machine, std::size_t state, std::size_t event, fsm::SeenCell cell) override {
    const CellId id{*machine_named(machine), state, event};
    lookups_.push_back({id, cell.kind, scheduler_.faults_lately(), scheduler_.faults_met()});
    return mutant_ && mutant_->cell == id ? mutant_->becomes : cell;
  }

  /// Discards all lookups, because the decisions of a batch start now.
  void begin() { lookups_.clear(); }
  /// Returns the lookups since begin(). Called when a batch is committed, because the engine may decide the next batch
  /// before the commit is durable.
  std::vector<Lookup> take() { return std::exchange(lookups_, {}); }
  /// Counts the lookups of a committed batch. Adds a finding for an impossible cell.
  void count(const std::vector<Lookup>& batch) {
    for (const Lookup& lookup : batch)
      if (lookup.kind == fsm::CellKind::impossible)
        auditor_.findings().require(false, "1 steps", "{} was looked up, but is impossible", to_text(lookup.cell));
      else
        auditor_.reached(lookup.cell, lookup.lately, lookup.ever);
  }

 private:
  const SimScheduler& scheduler_;
  Auditor& auditor_;
  const std::optional<Mutant>& mutant_;
  std::vector<Lookup> lookups_;
};

}  // namespace finality::sim
