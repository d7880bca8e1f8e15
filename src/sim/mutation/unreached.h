// Cells of the transition tables that the engines never or rarely look up, each with the reason. The tables define
// these cells anyway, so that they remain complete when the calling code changes.
#pragma once

#include <string_view>

#include "sim/mutation/cell.h"

namespace finality::sim {

/// Returns the reason why engines never look up the cell; empty if no reason is known.
std::string_view unreachable_reason(CellId id);

/// Returns the reason why fewer than 1 % of the simulation runs look up the cell; empty if no reason is known.
std::string_view rare_reason(CellId id);

}  // namespace finality::sim
