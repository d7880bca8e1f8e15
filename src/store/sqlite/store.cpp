#include "store/sqlite/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_lock.h"
#include "base/log.h"
#include "store/cache/caching_session.h"
#include "store/schema/migrations.h"
#include "store/sqlite/audit.h"
#include "store/sqlite/damage.h"
#include "store/sqlite/database.h"
#include "store/sqlite/files.h"
#include "store/sqlite/page_cache.h"
#include "store/sqlite/reader.h"
#include "store/sqlite/session.h"

namespace finality::sqlite {
namespace {

/// Takes the lock that allows only one process to open the store for writing. With SQLite before 3.51.3, two processes
/// that write to one WAL can corrupt it.
Result<FileLock> lock_store(const std::string& path) {
  return FileLock::take(path + ".lock", fmt::format("the store {} is in use by another process. Stop that process "
                                                    "first, or send the command to it over HTTP.",
                                                    path));
}

std::string empty_file(const std::string& path) {
  return fmt::format(
      "the file {0} is empty, so it is not a store, or it has lost its content. If it was a store, move {0}, {0}-wal "
      "and "
      "{0}-shm away and restore a backup: finality restore --store sqlite:{0} --from FILE. Otherwise remove the file",
      path);
}

Result<int> schema_version(Database& database, const std::string& path) {
  SqlStatement statement = database.prepare("PRAGMA user_version");
  if (statement.step() != StepResult::row) return std::unexpected(database.error("cannot read the store " + path));
  return static_cast<int>(statement.read<std::int64_t>());
}

// Rejects a file without tables, because create() never leaves one, and a database of another program, so that a
// mistyped path does not create Finality's tables in it.
Result<void> check_ownership(Database& database, const std::string& path) {
  SqlStatement statement = database.prepare("SELECT count(*), coalesce(sum(name='nodes'), 0) FROM sqlite_schema");
  if (statement.step() != StepResult::row) return std::unexpected(database.error("cannot read the store " + path));
  if (statement.read<std::int64_t>() == 0) return fail(empty_file(path));
  if (statement.read<std::int64_t>() == 0)
    return fail(fmt::format("{} is a database of another program. Name another file.", path));
  return {};
}

// Checks the page size of the file, because the configured page cache requires kPageBytes (page_cache.h).
Result<void> check_pages(Database& database, const std::string& path) {
  SqlStatement statement = database.prepare("PRAGMA page_size");
  if (statement.step() != StepResult::row) return std::unexpected(database.error("cannot read the store " + path));
  const auto bytes = statement.read<std::int64_t>();
  if (bytes == kPageBytes) return {};
  return fail(
      fmt::format("{} has pages of {} bytes, not {}. Change that with: sqlite3 {} \"PRAGMA journal_mode=DELETE; "
                  "PRAGMA page_size={}; VACUUM\"",
                  path, bytes, kPageBytes, path, kPageBytes));
}

Result<void> check_version(const std::string& path, int version, bool migrate) {
  const int newest = store::newest_schema();
  if (version > newest)
    return fail(fmt::format("the store {} has schema {}, newer than this program's {}. Use a newer program.", path,
                            version, newest));
  if (version > 0 && version < store::kBaselineSchema)
    return fail(store::refusal_of_older_schema("the store " + path, version));
  if (version < newest && !migrate)
    return fail(
        fmt::format("the store {} has schema {}, this program needs {}. Run: finality migrate --store "
                    "sqlite:{}",
                    path, version, newest, path));
  return {};
}

// Migrations sort the rows of large tables, so their temporary files are on the disk.
Result<void> migrate_to_newest(Database& database, int version) {
  if (auto set = database.execute("PRAGMA temp_store=FILE"); !set) return set;
  for (const store::Migration& migration : store::migrations()) {
    if (migration.number <= version) continue;
    const std::string sql = fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version={}; COMMIT;",
                                        store::in_dialect(migration.sql, store::kSqliteDialect), migration.number);
    if (auto done = database.execute(sql); !done)
      return fail(
          fmt::format("cannot run migration {} ({}): {}", migration.number, migration.name, done.error().message));
  }
  return database.execute("PRAGMA temp_store=MEMORY");
}

// Creates a store under another name and renames it when it is complete. An interruption, or a full disk, therefore
// leaves no file that looks like a store.
Result<void> create(const std::string& path) {
  if (has_log(path))
    return fail(
        fmt::format("the store {0} does not exist, but its log {1} does. Restore the file {0} that was beside "
                    "the log. To create a new store, move the log away.",
                    path, log_file(path)));
  const std::string unfinished = path + ".unfinished";
  remove_files(unfinished);
  Result<void> made;
  if (auto database = Database::open(unfinished, Database::Mode::write); database)
    made = migrate_to_newest(*database, 0);
  else
    made = std::unexpected(database.error());
  // The last connection has moved the log into the file, unless the disk is full.
  if (made && has_log(unfinished)) made = fail(fmt::format("cannot create the store {}: the disk is full", path));
  if (made) made = put_in_place(unfinished, path);
  if (!made) remove_files(unfinished);
  return made;
}

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, std::optional<FileLock> lock, std::shared_ptr<Damage> damage)
      : path_(std::move(path)), lock_(std::move(lock)), damage_(std::move(damage)) {}

  std::size_t lanes() const override { return 1; }  // SQLite allows one writing connection

  Result<std::unique_ptr<Session>> open_session() override {
    auto session = make_session(path_, 0, flushed_, damage_);
    if (!session) return session;
    return store::cache_rows(std::move(*session), store::Writers::one);
  }
  Result<std::unique_ptr<Reader>> open_reader() override {
    auto database = open_for_reading();
    if (!database) return std::unexpected(database.error());
    database->read_flushed(flushed_);
    return make_reader(std::move(*database));
  }
  Result<AuditReport> audit(const AuditProgress& progress) override {
    auto database = open_for_reading();
    if (!database) return std::unexpected(database.error());
    return sqlite::audit(*database, progress);
  }

 private:
  Result<Database> open_for_reading() {
    // Without the lock another process may be writing, so errors may mean no damage.
    return Database::open(path_, Database::Mode::read, lock_ ? damage_ : nullptr);
  }

  std::string path_;
  std::optional<FileLock> lock_;  // empty in a store that was opened read-only
  std::shared_ptr<Damage> damage_;
  std::shared_ptr<Flushed> flushed_ = std::make_shared<Flushed>();
};

}  // namespace

Result<void> check_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && std::filesystem::file_size(path, ignored) == 0)
    return fail(empty_file(path));
  auto database = Database::open(path, Database::Mode::read);
  if (!database) return fail_to_open(path, database.error().message);
  const auto version = schema_version(*database, path);
  if (!version) return fail_to_open(path, version.error().message);
  if (auto owned = check_ownership(*database, path); !owned) return owned;
  if (auto fits = check_pages(*database, path); !fits) return fits;
  return check_version(path, *version, true);
}

Result<std::unique_ptr<Store>> open(const std::string& path, bool read_only, bool migrate) {
  std::error_code ignored;
  const auto exists = [&] { return std::filesystem::exists(path, ignored); };
  if (!migrate && !read_only && !exists())
    return fail(fmt::format("the store {0} does not exist. Create it: finality migrate --store sqlite:{0}", path));
  if (exists() && std::filesystem::file_size(path, ignored) == 0) return fail(empty_file(path));
  std::optional<FileLock> lock;
  if (!read_only) {
    auto taken = lock_store(path);
    if (!taken) return fail_to_open(path, taken.error().message);
    lock.emplace(std::move(*taken));
    if (!exists())
      if (auto created = create(path); !created) return fail_to_open(path, created.error().message);
  }
  const auto damage = std::make_shared<Damage>(path);
  auto database =
      read_only ? Database::open(path, Database::Mode::read) : Database::open(path, Database::Mode::write, damage);
  if (!database) return fail_to_open(path, database.error().message);
  const auto version = schema_version(*database, path);
  if (!version) return fail_to_open(path, version.error().message);
  if (auto owned = check_ownership(*database, path); !owned) return std::unexpected(owned.error());
  if (auto fits = check_pages(*database, path); !fits) return std::unexpected(fits.error());
  if (auto fits = check_version(path, *version, migrate && !read_only); !fits) return std::unexpected(fits.error());
  if (!read_only) {
    if (damage->is_found() && *version < store::newest_schema()) return fail(damage->advice());
    if (auto done = migrate_to_newest(*database, *version); !done) return std::unexpected(done.error());
    if (damage->is_found()) log::warn("the store is damaged: it is only read", {{"advice", damage->advice()}});
    warn_of_wide_modes(path);
  }
  return std::make_unique<SqliteStore>(path, std::move(lock), damage);
}

}  // namespace finality::sqlite
