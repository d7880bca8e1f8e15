// Lower bound of the cost of a run on SQLite: the recorded statements of the run, with their values and transactions,
// replayed as bare prepared statements on an empty file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace finality::bench {

/// Records, in memory, every statement that this process runs on SQLite connections opened during its lifetime, except
/// on read-only connections. The connections must be closed before its destruction. Only one may exist at a time.
/// Thread safe.
class SqliteCapture {
 public:
  SqliteCapture();
  ~SqliteCapture();
  SqliteCapture(const SqliteCapture&) = delete;
  SqliteCapture& operator=(const SqliteCapture&) = delete;

  /// Marks the end of the preparation; replay() measures the statements recorded after it.
  void mark();

  /// Replays all statements on a file that does not exist yet, on the calling thread. Prepares each distinct statement
  /// once, steps it to its end and ignores its results. Returns the seconds that the measured statements took. Returns
  /// an error if a statement fails, or if the file's rows differ from those of `original`.
  Result<double> replay(const std::string& path, const std::string& original) const;

  struct Recording;

 private:
  std::unique_ptr<Recording> recording_;
};

}  // namespace finality::bench
