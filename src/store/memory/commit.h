// A commit in memory: first everything is checked, then everything is written, so that a lost race leaves no trace.
#pragma once

#include <string>

#include "model/working_set.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Where `rows` were decided on something that is not so any more: the table, or empty when it can be written.
/// REQUIRES: the tables are locked.
std::string find_conflict(const Tables& tables, const WorkingSet& rows);

/// REQUIRES: the tables are locked, and there is no conflict.
void write(Tables& tables, const WorkingSet& rows);

}  // namespace finality::memory
