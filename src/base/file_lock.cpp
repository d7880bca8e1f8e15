#include "base/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace finality {

Result<FileLock> FileLock::take(const std::string& path, const std::string& held) {
  FileLock lock;
  lock.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const int reason = errno;
  if (lock.descriptor_ < 0 && (reason == EROFS || reason == EACCES))
    lock.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock.descriptor_ < 0) return fail(fmt::format("cannot create {}: {}", path, std::strerror(reason)));
  if (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) return fail(held);
  return lock;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace finality
