#include "store/sqlite/damage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/log.h"
#include "store/sqlite/transaction.h"

namespace finality::sqlite {
namespace {

std::string note_of(const std::string& path) { return path + ".damaged"; }

// The file may remain absent, because the disk can be full or read-only. Then the next process finds the damage when it
// reads the page.
void write_note(const std::string& path, const std::string& text) {
  const int file = ::open(note_of(path).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  if (!written) log::warn("the damage of the store could not be noted", {{"file", note_of(path)}});
  if (file >= 0) ::close(file);
}

}  // namespace

Damage::Damage(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  found_ = std::filesystem::exists(note_of(path_), ignored);
}

void Damage::inspect(int code, const char* message) {
  if (fault_of(code, 0) != StoreFault::damaged || found_.exchange(true)) return;
  log::error("the store is damaged and refuses all writes", {{"store", path_}, {"error", message}, {"code", code}});
  write_note(path_, fmt::format("{} ({})\n", message, code));
}

std::string Damage::advice() const {
  return fmt::format(
      "the store {0} is damaged: nothing is written to it. Stop the server, move {0}, {0}-wal, {0}-shm and {1} away, "
      "and restore a backup: finality restore --store sqlite:{0} --from FILE",
      path_, note_of(path_));
}

void forget_damage(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove(note_of(path), ignored);
}

}  // namespace finality::sqlite
