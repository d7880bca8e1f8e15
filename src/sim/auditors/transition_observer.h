// Sees every cell that the engines of a world ask for: counts it, and answers with another one where a mutant wants it.
// Only what is committed counts: an engine may decide on rows that another one has changed meanwhile (ADR 0018), and
// what comes of that, an impossible cell even, never leaves it.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "fsm/table.h"
#include "sim/auditors/auditor.h"
#include "sim/mutation/mutant.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// Of one world.
class TransitionObserver final : public fsm::CellWatch {
 public:
  /// What one batch asked for.
  struct Asked {
    CellId cell;
    fsm::CellKind kind;
    FaultMask lately;
    FaultMask ever;
  };

  TransitionObserver(const SimScheduler& scheduler, Auditor& auditor, const std::optional<Mutant>& mutant)
      : scheduler_(scheduler), auditor_(auditor), mutant_(mutant) {}

  fsm::SeenCell asked(std::string_view machine, std::size_t state, std::size_t event, fsm::SeenCell cell) override {
    const CellId id{*machine_named(machine), state, event};
    asked_.push_back({id, cell.kind, scheduler_.faults_lately(), scheduler_.faults_met()});
    return mutant_ && mutant_->cell == id ? mutant_->becomes : cell;
  }

  /// A batch begins to be decided.
  void begin() { asked_.clear(); }
  /// It is decided; others may decide before it is committed.
  std::vector<Asked> take() { return std::exchange(asked_, {}); }
  /// It is committed.
  void count(const std::vector<Asked>& batch) {
    for (const Asked& one : batch)
      if (one.kind == fsm::CellKind::impossible)
        auditor_.findings().require(false, "1 steps", "{} was asked for, and cannot happen", to_text(one.cell));
      else
        auditor_.reached(one.cell, one.lately, one.ever);
  }

 private:
  const SimScheduler& scheduler_;
  Auditor& auditor_;
  const std::optional<Mutant>& mutant_;
  std::vector<Asked> asked_;
};

}  // namespace finality::sim
