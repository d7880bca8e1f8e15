// Online backup and restore of a whole store. A backup consists of a file and its SHA-256 in a second file beside it
// (file_digest.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality {

/// Called before each step of a backup or restore with the name of the step. May be empty.
using BackupProgress = std::function<void(std::string_view step)>;

/// Writes a consistent copy of the store at `url` to `file`, and its digest to `file`.sha256; neither may exist. A
/// server may use the store meanwhile. The copy contains every transaction committed before the call. A PostgreSQL
/// store is dumped with pg_dump. A copy of a SQLite store is checked: the call fails if a table or an index is damaged.
Result<void> back_up(const std::string& url, const std::string& file, const BackupProgress& progress);

struct RestoreRequest {
  std::string url;              // of the store to create
  std::string file;             // written by back_up()
  bool without_digest = false;  // restores the file although its digest is missing, and does not compare a present one
};

/// Creates a store from a backup, after the file was compared with its digest. A SQLite file must not exist; its tables
/// and indexes are checked before it gets its name. A PostgreSQL database must be empty and is restored with
/// pg_restore, in one transaction. After an error there is no new store. Errors state what to do.
Result<void> restore(const RestoreRequest& request, const BackupProgress& progress);

}  // namespace finality
