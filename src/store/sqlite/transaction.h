// End of a write transaction on a SQLite store, and the classification of its errors.
#pragma once

#include <optional>
#include <string_view>

#include "store/fault.h"
#include "store/sqlite/database.h"
#include "store/store.h"

namespace finality::sqlite {

/// Returns the fault that an error of SQLite means; empty if a repetition of the operation can succeed. `code`:
/// extended result code. `error_number`: errno of the failed system call; 0 if unknown.
std::optional<StoreFault> fault_of(int code, int error_number);

/// Returns the outcome `failed` with the connection's last error. `what`: the failed operation.
CommitResult failure(Database& database, std::string_view what);

/// Rolls the open transaction back and returns `why`, or the outcome `lost` if that fails.
CommitResult roll_back(Database& database, CommitResult why);

/// Commits the open transaction. If COMMIT fails, undoes it, so that a crash cannot make it appear, and returns the
/// outcome `failed`. Returns `lost` if a sync failed, because a repeated sync does not report lost pages, or if the
/// COMMIT could not be undone.
CommitResult commit_transaction(Database& database);

}  // namespace finality::sqlite
