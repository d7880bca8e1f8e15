// Lower bound ("floor") of the time that a benchmark run needs on SQLite. The statements of the run are recorded with
// their values and transactions, then replayed as bare prepared statements on an empty file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace finality::bench {

/// Records every statement in memory that this process runs on SQLite connections, except read-only connections. Only
/// connections opened during the lifetime of this object are recorded; they must be closed before its destruction. Only
/// one SqliteCapture may exist at a time. Thread safe.
class SqliteCapture {
 public:
  SqliteCapture();
  ~SqliteCapture();
  SqliteCapture(const SqliteCapture&) = delete;
  SqliteCapture& operator=(const SqliteCapture&) = delete;

  /// Marks the end of the preparation. replay() measures only statements that are recorded later.
  void mark();

  /// Replays all statements on a file that does not exist yet, on the calling thread. Prepares each distinct statement
  /// once, steps it to its end and ignores its results. Returns the duration of the measured statements in seconds.
  /// Fails if a statement fails, or if the rows of the file differ from the rows of the file `original`.
  Result<double> replay(const std::string& path, const std::string& original) const;

  struct Recording;

 private:
  std::unique_ptr<Recording> recording_;
};

}  // namespace finality::bench
