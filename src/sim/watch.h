// Sees every cell that the engines of a world ask for: counts it, and answers with another one where a mutant wants it.
#pragma once

#include <optional>

#include "fsm/table.h"
#include "sim/auditor.h"
#include "sim/mutant.h"
#include "sim/stage.h"

namespace finality::sim {

/// Watches the thread that made it until its end.
class Watch final : public fsm::CellWatch {
 public:
  Watch(const Stage& stage, Auditor& auditor, const std::optional<Mutant>& mutant)
      : stage_(stage), auditor_(auditor), mutant_(mutant), before_(fsm::cell_watch) {
    fsm::cell_watch = this;
  }
  ~Watch() { fsm::cell_watch = before_; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  fsm::SeenCell asked(std::string_view machine, std::size_t state, std::size_t event, fsm::SeenCell cell) override {
    const CellId id{*machine_named(machine), state, event};
    if (cell.kind == fsm::CellKind::impossible)
      auditor_.findings().require(false, "1 steps", "{} was asked for, and cannot happen", to_text(id));
    else
      auditor_.reached(id, stage_.faults_lately(), stage_.faults_met());
    return mutant_ && mutant_->cell == id ? mutant_->becomes : cell;
  }

 private:
  const Stage& stage_;
  Auditor& auditor_;
  const std::optional<Mutant>& mutant_;
  fsm::CellWatch* before_;
};

}  // namespace finality::sim
