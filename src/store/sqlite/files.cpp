#include "store/sqlite/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/limits.h"
#include "base/log.h"

namespace finality::sqlite {
namespace {

constexpr mode_t kOtherUsers = 0077;

Result<void> sync(const std::string& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (descriptor < 0) return fail("cannot open " + path);
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced ? Result<void>{} : fail("cannot sync " + path + " to the disk");
}

}  // namespace

bool has_log(const std::string& path) {
  std::error_code absent;
  const auto bytes = std::filesystem::file_size(log_file(path), absent);
  return !absent && bytes > 0;
}

Result<void> put_in_place(const std::string& unfinished, const std::string& path) {
  if (auto synced = sync(unfinished, 0); !synced) return synced;
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (error) return fail(fmt::format("cannot rename {} to {}: {}", unfinished, path, error.message()));
  return sync(std::filesystem::absolute(path).parent_path(), O_DIRECTORY);
}

int check_room(const std::string& path) {
  const std::string probe = path + ".probe";
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  int code = EINTR;
  while (code == EINTR) code = ::posix_fallocate(file, 0, limits::kStoreRoomBytes);
  ::close(file);
  ::unlink(probe.c_str());
  const bool is_unsupported = code == EINVAL || code == EOPNOTSUPP;  // the next write then shows whether there is space
  return is_unsupported ? 0 : code;
}

std::unexpected<Error> fail_to_open(const std::string& path, const std::string& message) {
  const std::string directory = std::filesystem::absolute(path).parent_path();
  const bool is_writable = ::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
  if (is_writable || (errno != EACCES && errno != EROFS)) return fail(message);
  return fail(
      fmt::format("{}. This user cannot write the directory {}, in which SQLite creates the log of the store: make the "
                  "directory writable, or copy the store to another one",
                  message, directory));
}

void remove_files(const std::string& path) {
  std::error_code ignored;
  for (const std::string& file : {path, log_file(path), index_file(path)}) std::filesystem::remove(file, ignored);
}

void remove_logs(const std::string& path) {
  std::error_code ignored;
  for (const std::string& file : {log_file(path), index_file(path)}) std::filesystem::remove(file, ignored);
}

void warn_of_wide_modes(const std::string& path) {
  for (const std::string& file : {path, log_file(path), index_file(path)}) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0 || (status.st_mode & kOtherUsers) == 0) continue;
    log::warn("other users can access a file of the store",
              {{"file", file}, {"mode", fmt::format("{:04o}", status.st_mode & 07777)}, {"run", "chmod 600 " + file}});
  }
}

}  // namespace finality::sqlite
