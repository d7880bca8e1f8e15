// Exclusive lock file: at most one process holds the lock.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace finality {

/// Holds the lock until destruction or until the process ends in any way. The file itself is never removed.
class FileLock {
 public:
  /// Creates the file if it does not exist. Does not wait: returns an error with the message `held` if another process
  /// holds the lock. Also fails if the file cannot be created. An existing file need not be writable.
  static Result<FileLock> take(const std::string& path, const std::string& held);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock() = default;
  int descriptor_ = -1;
};

}  // namespace finality
