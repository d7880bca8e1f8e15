#include "store/sqlite/backup.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "store/sqlite/damage.h"
#include "store/sqlite/files.h"
#include "store/sqlite/store.h"

namespace finality::sqlite {
namespace {

using Handle = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

Result<Handle> open_file(const std::string& path, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle owned(handle, sqlite3_close);
  if (code != SQLITE_OK) return fail(fmt::format("cannot open {}: {}", path, sqlite3_errstr(code)));
  // Only the process that owns the store checkpoints the WAL. This connection must not do it when it is closed.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return owned;
}

// Copies all pages in one step. A step is one read transaction, so the copy is consistent.
Result<void> copy_pages(const std::string& from, const std::string& to) {
  auto source = open_file(from, SQLITE_OPEN_READWRITE);
  if (!source) return std::unexpected(source.error());
  auto target = open_file(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!target) return std::unexpected(target.error());
  sqlite3_backup* backup = sqlite3_backup_init(target->get(), "main", source->get(), "main");
  if (backup == nullptr) return fail(fmt::format("cannot write {}: {}", to, sqlite3_errmsg(target->get())));
  const int copied = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (copied != SQLITE_DONE) return fail(fmt::format("cannot copy {} to {}: {}", from, to, sqlite3_errstr(copied)));
  return {};
}

// Copies the database to a temporary file, syncs it to the disk and renames it to `to`.
Result<void> copy(const std::string& from, const std::string& to) {
  const std::string unfinished = to + ".unfinished";
  std::error_code error;
  std::filesystem::remove(unfinished, error);
  Result<void> done = copy_pages(from, unfinished);
  if (done) done = put_in_place(unfinished, to);
  if (!done) std::filesystem::remove(unfinished, error);
  return done;
}

// Checks that the file is a Finality store with a schema that this program supports.
Result<void> check_store(const std::string& path) {
  auto store = open(path, true, true);
  return store ? Result<void>{} : std::unexpected(store.error());
}

}  // namespace

Result<void> back_up(const std::string& path, const std::string& file) {
  if (auto is_own = check_store(path); !is_own) return is_own;
  return copy(path, file);
}

Result<void> restore(const std::string& path, const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return fail("the store " + path + " already exists. Move it away first.");
  if (has_log(path)) return fail(fmt::format("{} is the log of another store. Move it away first.", log_file(path)));
  if (auto is_own = check_store(file); !is_own) return is_own;
  Result<void> restored = copy(file, path);
  if (restored) forget_damage(path);
  return restored;
}

}  // namespace finality::sqlite
