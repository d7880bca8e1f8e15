// What a run on SQLite costs at least: the very statements it ran, with their values, in the same transactions, as bare
// prepared statements on an empty file.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

namespace finality::bench {

/// Records, in memory, every statement that this process runs on SQLite connections opened while it lives, those that
/// only read left out; the connections must be closed before it goes. One at a time. Thread safe.
class SqliteCapture {
 public:
  SqliteCapture();
  ~SqliteCapture();
  SqliteCapture(const SqliteCapture&) = delete;
  SqliteCapture& operator=(const SqliteCapture&) = delete;

  /// What was recorded up to now prepares; what follows is measured.
  void mark();

  /// Runs all of it again on a file that does not exist yet, on this thread: every distinct statement is prepared once
  /// and stepped to its end, its results not looked at. Answers how many seconds what is measured took. An error when a
  /// statement fails, or when the file does not end up with the same rows as the `original`.
  Result<double> replay(const std::string& path, const std::string& original) const;

  struct Recording;

 private:
  std::unique_ptr<Recording> recording_;
};

}  // namespace finality::bench
