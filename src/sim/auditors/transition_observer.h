// Observes every cell lookup by a world's engines: counts the lookup, and replaces the cell if the world's mutant
// changes it. Only lookups of committed batches count. An engine may make decisions from rows that another engine has
// changed (ADR 0018); the conflict discards such decisions, even if they looked up an impossible cell.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fsm/table.h"
#include "sim/auditors/auditor.h"
#include "sim/mutation/mutant.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// Belongs to one world.
class TransitionObserver final : public fsm::CellWatch {
 public:
  /// A lookup during the decisions of the current batch.
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

  /// Starts a batch's decisions.
  void begin() { lookups_.clear(); }
  /// Returns the lookups since begin(). The engine may decide further batches before the commit of this batch.
  std::vector<Lookup> take() { return std::exchange(lookups_, {}); }
  /// Counts the lookups of a committed batch.
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
