// In-memory commit: checks all rows before it writes any, so that a lost race changes nothing.
#pragma once

#include <string>

#include "model/working_set.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Returns the first table whose stored rows differ from the base values that the decisions on `rows` read; empty if
/// there is no conflict. REQUIRES: the tables are locked.
std::string find_conflict(const Tables& tables, const WorkingSet& rows);

/// REQUIRES: the tables are locked for writing, and find_conflict() returned empty.
void write(Tables& tables, const WorkingSet& rows);

}  // namespace finality::memory
