// The files of a SQLite store.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::sqlite {

/// The write-ahead log of the store at `path`. Exists while the store is in use and after a crash.
inline std::string log_file(const std::string& path) { return path + "-wal"; }
/// The shared index of that log.
inline std::string index_file(const std::string& path) { return path + "-shm"; }

/// Whether the store's log exists and is not empty. Such a log belongs to exactly one database file: beside another
/// file SQLite would write wrong pages into it.
bool has_log(const std::string& path);

/// Syncs the complete file `unfinished` to the disk, renames it to `path`, and syncs the directory.
Result<void> put_in_place(const std::string& unfinished, const std::string& path);

/// Allocates and releases limits::kStoreRoomBytes on the disk of the store at `path`. Returns 0 or the errno. Returns 0
/// also if no file can be created beside the store, because this shows nothing about the space.
int check_room(const std::string& path);

/// Returns an error about the store at `path` with `message`, and with the steps to take if this process cannot write
/// the directory of the store: SQLite creates the log there even for readers.
std::unexpected<Error> fail_to_open(const std::string& path, const std::string& message);

/// Removes the database file `path` with its log and index, as far as they exist.
void remove_files(const std::string& path);
/// Removes only the log and the index. REQUIRES: the log is empty, and no process uses the file.
void remove_logs(const std::string& path);

/// Logs a warning, with the command to run, for each file of the store that other users can read or write. SQLite gives
/// the log and its index the mode of the database file.
void warn_of_wide_modes(const std::string& path);

}  // namespace finality::sqlite
