// Transition tables with one changed cell, to verify that the auditor detects the change.
#pragma once

#include <string>
#include <vector>

#include "fsm/table.h"
#include "sim/mutation/cell.h"

namespace finality::sim {

struct Mutant {
  CellId cell;
  fsm::SeenCell becomes;
};

/// All mutants of the machine: in each, one cell has another kind, another target or one action less.
std::vector<Mutant> mutants_of(std::size_t machine);

/// Formats a mutant as "payment pending paid: → succeeded becomes keep".
std::string to_text(const Mutant& mutant);

}  // namespace finality::sim
