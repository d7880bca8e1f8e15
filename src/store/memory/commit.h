// Commit on the in-memory tables: checks all rows before it writes any, so that a conflict changes nothing.
#pragma once

#include <string>

#include "model/working_set.h"
#include "store/memory/tables.h"

namespace finality::memory {

/// Returns the name of the first table with a conflict: another session changed a row after `rows` loaded it, or
/// inserted a row that `rows` inserts. Empty if there is no conflict. REQUIRES: the tables are locked.
std::string find_conflict(const Tables& tables, const WorkingSet& rows);

/// Writes the changes in `rows` to the tables. REQUIRES: the tables are locked for writing, and find_conflict()
/// returned empty.
void write(Tables& tables, const WorkingSet& rows);

}  // namespace finality::memory
