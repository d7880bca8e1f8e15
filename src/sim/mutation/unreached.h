// The cells that no whole program ever asks for, and those that it seldom does, each with its reason. Tables are filled
// all the same: whoever changes the code around them must not find a hole.
#pragma once

#include <string_view>

#include "sim/mutation/cell.h"

namespace finality::sim {

/// Why the cell is never asked for; empty when nothing says so.
std::string_view unreachable_reason(CellId id);

/// Why the cell is asked for in a few worlds of a thousand only; empty when nothing says so.
std::string_view rare_reason(CellId id);

}  // namespace finality::sim
