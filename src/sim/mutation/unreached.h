// Cells that the program never looks up, and cells that it rarely looks up, each with the reason. The tables define
// them anyway, so that a change of the surrounding code finds no hole.
#pragma once

#include <string_view>

#include "sim/mutation/cell.h"

namespace finality::sim {

/// Returns why the cell is never looked up; empty if no reason is known.
std::string_view unreachable_reason(CellId id);

/// Returns why the cell is looked up in only a few worlds per thousand; empty if no reason is known.
std::string_view rare_reason(CellId id);

}  // namespace finality::sim
