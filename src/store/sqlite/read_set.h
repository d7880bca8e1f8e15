// Loads the rows of a read set from a SQLite store, for sessions and readers.
#pragma once

#include "model/read_set.h"
#include "model/working_set.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

/// Loads all rows that `reads` names into `rows`, in one transaction: one load sees one snapshot, and SQLite locks the
/// file only once. Does not replace rows that are already in `rows`.
Result<void> load_read_set(Database& database, const ReadSet& reads, WorkingSet& rows);

}  // namespace finality::sqlite
