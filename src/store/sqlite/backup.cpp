#include "store/sqlite/backup.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "store/file_digest.h"
#include "store/sqlite/audit.h"
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

// Checks that the file is a Finality store that this program can use or migrate, and that no table or index is damaged.
// No other process uses the file.
Result<void> check_copy(const std::string& file) {
  if (auto fits = check_file(file); !fits) return fits;
  auto database = Database::open(file, Database::Mode::read);
  if (!database) return std::unexpected(database.error());
  const auto damage = find_damage(*database);
  if (!damage) return std::unexpected(damage.error());
  if (damage->empty()) return {};
  const DamagedObject& first = damage->front();
  return fail(fmt::format("{} of its tables and indexes are damaged or disagree, first: {}: {}", damage->size(),
                          first.object, first.detail));
}

// The checks name `copy`, the temporary file that they read. Returns the message with `file` instead.
std::string with_name(std::string message, const std::string& copy, const std::string& file) {
  for (std::size_t at = message.find(copy); at != std::string::npos; at = message.find(copy, at + file.size()))
    message.replace(at, copy.size(), file);
  return message;
}

// Copies the backup to `unfinished`, compares its digest, checks the copy and renames it to `path`.
Result<void> restore_copy(const std::string& path, const std::string& unfinished, const std::string& file,
                          const std::string& sha256, const BackupProgress& progress) {
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) == 0)
    return fail(fmt::format("{} is empty, so it is no backup, or it has lost its content. Use another backup", file));
  progress("copying the backup");
  const auto copied = store::copy_file(file, unfinished);
  if (!copied) return std::unexpected(copied.error());
  if (!sha256.empty())
    if (auto same = store::compare_digests(file, *copied, sha256); !same) return same;
  progress("checking every table and index");
  if (auto checked = check_copy(unfinished); !checked)
    return fail(fmt::format("the backup {} cannot be restored: {}", file,
                            with_name(checked.error().message, unfinished, file)));
  return put_in_place(unfinished, path);
}

}  // namespace

Result<void> back_up(const std::string& path, const std::string& file, const BackupProgress& progress) {
  if (auto is_own = check_file(path); !is_own) return is_own;
  progress("copying the store");
  Result<void> done = copy_pages(path, file);
  if (done) {
    progress("checking every table and index of the copy");
    if (auto checked = check_copy(file); !checked)
      done = fail(fmt::format(
          "no backup was written, because the copy of the store {} failed its check: {}. Keep the earlier backups, run "
          "`finality verify`, and copy the files of the stopped server to keep their rows",
          path, checked.error().message));
  }
  remove_logs(file);
  return done;
}

Result<void> restore(const std::string& path, const std::string& file, const std::string& sha256,
                     const BackupProgress& progress) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return fail("the store " + path + " already exists. Move it away first.");
  if (has_log(path)) return fail(fmt::format("{} is the log of another store. Move it away first.", log_file(path)));
  if (has_log(file))
    return fail(fmt::format(
        "{0} contains changes that are not in {1}, so {1} is a store that was in use, and no backup. Make a "
        "backup of it: finality backup --store sqlite:{1} --to FILE",
        log_file(file), file));
  const std::string unfinished = path + ".unfinished";
  if (std::filesystem::equivalent(file, unfinished, ignored))
    return fail(
        fmt::format("{} is the copy of a restore that was interrupted, and is replaced by every restore of {}. "
                    "Name the backup, or rename the file first",
                    file, path));
  remove_files(unfinished);
  Result<void> restored = restore_copy(path, unfinished, file, sha256, progress);
  if (restored) {
    forget_damage(path);
    remove_logs(unfinished);
    return {};
  }
  remove_files(unfinished);
  if (!Damage(path).is_found()) return restored;
  return fail(
      fmt::format("{}. The file {}.damaged remains: it marks an earlier store as damaged, and the next successful "
                  "restore removes it",
                  restored.error().message, path));
}

}  // namespace finality::sqlite
