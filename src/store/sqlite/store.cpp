#include "store/sqlite/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_lock.h"
#include "store/cache/caching_session.h"
#include "store/schema/migrations.h"
#include "store/sqlite/audit.h"
#include "store/sqlite/database.h"
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

Result<int> schema_version(Database& database, const std::string& path) {
  SqlStatement statement = database.prepare("PRAGMA user_version");
  if (statement.step() != StepResult::row) return std::unexpected(database.error("cannot read the store " + path));
  return static_cast<int>(statement.read<std::int64_t>());
}

// Rejects a database of another program, so that a mistyped path does not create Finality's tables in it.
Result<void> check_ownership(Database& database, const std::string& path) {
  SqlStatement statement = database.prepare("SELECT count(*), coalesce(sum(name='nodes'), 0) FROM sqlite_schema");
  if (statement.step() != StepResult::row) return std::unexpected(database.error("cannot read the store " + path));
  const bool empty = statement.read<std::int64_t>() == 0;
  const bool is_own = statement.read<std::int64_t>() > 0;
  if (!empty && !is_own) return fail(fmt::format("{} is a database of another program. Name another file.", path));
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

Result<void> migrate_to_newest(Database& database, int version) {
  for (const store::Migration& migration : store::migrations()) {
    if (migration.number <= version) continue;
    const std::string sql = fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version={}; COMMIT;",
                                        store::in_dialect(migration.sql, store::kSqliteDialect), migration.number);
    if (auto done = database.execute(sql); !done)
      return fail(
          fmt::format("cannot run migration {} ({}): {}", migration.number, migration.name, done.error().message));
  }
  return {};
}

class SqliteStore final : public Store {
 public:
  SqliteStore(std::string path, std::optional<FileLock> lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::size_t lanes() const override { return 1; }  // SQLite allows one writing connection

  Result<std::unique_ptr<Session>> open_session() override {
    auto session = make_session(path_, 0, flushed_);
    if (!session) return session;
    return store::cache_rows(std::move(*session), store::Writers::one);
  }
  Result<std::unique_ptr<Reader>> open_reader() override {
    auto database = Database::open(path_, Database::Mode::read);
    if (!database) return std::unexpected(database.error());
    database->read_flushed(flushed_);
    return make_reader(std::move(*database));
  }
  Result<AuditReport> audit(const AuditProgress& progress) override {
    auto database = Database::open(path_, Database::Mode::read);
    if (!database) return std::unexpected(database.error());
    return sqlite::audit(*database, progress);
  }

 private:
  std::string path_;
  std::optional<FileLock> lock_;
  std::shared_ptr<Flushed> flushed_ = std::make_shared<Flushed>();
};

}  // namespace

Result<std::unique_ptr<Store>> open(const std::string& path, bool read_only, bool migrate) {
  if (!migrate && !read_only && !std::filesystem::exists(path))
    return fail(fmt::format("the store {0} does not exist. Create it: finality migrate --store sqlite:{0}", path));
  std::optional<FileLock> lock;
  if (!read_only) {
    auto taken = lock_store(path);
    if (!taken) return std::unexpected(taken.error());
    lock.emplace(std::move(*taken));
  }
  auto database = Database::open(path, read_only ? Database::Mode::read : Database::Mode::write);
  if (!database) return std::unexpected(database.error());
  const auto version = schema_version(*database, path);
  if (!version) return std::unexpected(version.error());
  if (auto owned = check_ownership(*database, path); !owned) return std::unexpected(owned.error());
  if (auto fits = check_pages(*database, path); !fits) return std::unexpected(fits.error());
  if (auto fits = check_version(path, *version, migrate && !read_only); !fits) return std::unexpected(fits.error());
  if (!read_only)
    if (auto done = migrate_to_newest(*database, *version); !done) return std::unexpected(done.error());
  return std::make_unique<SqliteStore>(path, std::move(lock));
}

}  // namespace finality::sqlite
