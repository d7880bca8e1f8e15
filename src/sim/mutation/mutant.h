// A table with one cell changed: to see whether anybody notices.
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

/// Every cell of the machine in turn: another kind, another target, one action less.
std::vector<Mutant> mutants_of(std::size_t machine);

/// "payment pending paid: → succeeded becomes keep".
std::string to_text(const Mutant& mutant);

}  // namespace finality::sim
