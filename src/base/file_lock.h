// A file that one process at a time holds.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace finality {

/// Held until it goes, or the process ends, however it ends. The file stays.
class FileLock {
 public:
  /// Makes the file where it is not there. An error with the message `held` when another process has it.
  static Result<FileLock> take(const std::string& path, const std::string& held);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock() = default;
  int descriptor_ = -1;
};

}  // namespace finality
