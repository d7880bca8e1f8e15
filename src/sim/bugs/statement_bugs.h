#pragma once

#include <span>

#include "sim/bugs/bug.h"

namespace finality::sim {

/// Returns the bugs of the comparison of statements. Many of them are defects of other reconciliation programs.
std::span<const Bug> statement_bugs();

}  // namespace finality::sim
