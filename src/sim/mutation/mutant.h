// Mutants: transition tables with one changed cell. Mutation testing verifies that the auditors detect each mutant.
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

/// Returns all mutants of the state machine. In each mutant, one cell has another kind, another target, or one action
/// less.
std::vector<Mutant> mutants_of(std::size_t machine);

/// Formats a mutant as "payment pending paid: → succeeded becomes keep".
std::string to_text(const Mutant& mutant);

}  // namespace finality::sim
