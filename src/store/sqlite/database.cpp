#include "store/sqlite/database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "store/sqlite/page_cache.h"
#include "store/sqlite/wal_batcher.h"

namespace finality::sqlite {

SqlStatement::~SqlStatement() {
  sqlite3_reset(statement_);
  if (last_commit_read_ != 0 && sqlite3_get_autocommit(sqlite3_db_handle(statement_)) != 0)
    flushed_->wait_for(last_commit_read_);
}

namespace {

// Limits of waiting for a lock, five seconds in total. A lock is usually held for a few milliseconds, and all queued
// commands wait meanwhile. So the first waits are short; SQLite's default handler would sleep for 1, 2, 5, 10 and more
// milliseconds.
constexpr int kShortWaits = 200;
constexpr unsigned kShortWaitMicroseconds = 50;
constexpr int kLongWaits = 500;
constexpr unsigned kLongWaitMicroseconds = 10'000;

int wait_for_lock(void*, int waits) {
  if (waits >= kShortWaits + kLongWaits) return 0;
  ::usleep(waits < kShortWaits ? kShortWaitMicroseconds : kLongWaitMicroseconds);
  return 1;
}

// Configures SQLite once, before its first use. Thread safe.
void prepare_library() {
  [[maybe_unused]] static const bool prepared = [] {
    // Disables memory statistics. They are unused, and SQLite takes a lock for them in every allocation.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    keep_page_cache_short();
    return true;
  }();
}

}  // namespace

void SqlStatement::bind_value(const store::ValueType& type, const void* value) {
  const int at = ++bound_;
  if (type.is_optional()) value = type.get(value);
  if (value == nullptr) {
    sqlite3_bind_null(statement_, at);
    return;
  }
  store::visit_value(type, value, [&]<class T>(const T& one) {
    if constexpr (std::is_same_v<T, std::string>)
      put(at, std::string_view(one));
    else
      put(at, one);
  });
}

namespace {

/// A column of the current row. Has the members that read_value() (store/sql/columns.h) requires of a source.
struct Source {
  sqlite3_stmt* statement;
  int at;

  bool is_null() const { return sqlite3_column_type(statement, at) == SQLITE_NULL; }
  std::int64_t number() const { return sqlite3_column_int64(statement, at); }
  std::string_view bytes() const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement, at));
    return {data != nullptr ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(statement, at))};
  }
};

}  // namespace

void SqlStatement::read_value(const store::ValueType& type, void* value) {
  FINALITY_CHECK(store::read_value(type, value, Source{statement_, read_++}),
                 "a statement returned a value of another type");
}

Result<void> SqlStatement::read_row(const store::RowType& type, void* row) {
  return store::read_row(type, row, [this](int column) { return Source{statement_, column}; });
}

StepResult SqlStatement::step() {
  read_ = 0;
  const int stepped = sqlite3_step(statement_);
  if (flushed_ != nullptr && last_commit_read_ == 0)
    last_commit_read_ = flushed_->begun();  // must follow sqlite3_step(), which takes the snapshot
  switch (stepped) {
    case SQLITE_ROW:
      return StepResult::row;
    case SQLITE_DONE:
      return StepResult::done;
    default:
      if (damage_ != nullptr) damage_->inspect(stepped, sqlite3_errmsg(sqlite3_db_handle(statement_)));
      return StepResult::failed;
  }
}

Sql::Sql(std::string text) : text_(std::move(text)) {
  static std::atomic<std::size_t> next{0};
  number_ = next++;
}

Result<Database> Database::open(const std::string& path, Mode mode, std::shared_ptr<Damage> damage) {
  prepare_library();
  Database database;
  database.damage_ = std::move(damage);
  const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                    (mode == Mode::write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READWRITE);
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open_v2(path.c_str(), &handle, flags, mode == Mode::write ? gathering_vfs() : nullptr);
  database.handle_.reset(handle);
  if (opened != SQLITE_OK) return fail(fmt::format("cannot open the store {}: {}", path, sqlite3_errstr(opened)));
  sqlite3_busy_handler(handle, wait_for_lock, nullptr);
  // Until a writing connection is open: if that fails, its close must not move the log into a file that can be damaged.
  // A reading connection must never do this, because another process may be starting to write.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);

  // synchronous=FULL: a commit is durable on return, unless SqliteSession::flush_apart() changes the setting to NORMAL.
  // Readers never checkpoint the WAL.
  const std::vector<std::string> settings =
      mode == Mode::write ? std::vector<std::string>{fmt::format("PRAGMA page_size={}", kPageBytes),
                                                     "PRAGMA journal_mode=WAL",
                                                     "PRAGMA synchronous=FULL",
                                                     "PRAGMA foreign_keys=OFF",
                                                     "PRAGMA wal_autocheckpoint=4000",
                                                     "PRAGMA cache_size=-65536",
                                                     "PRAGMA temp_store=MEMORY"}
                          : std::vector<std::string>{"PRAGMA query_only=ON", "PRAGMA wal_autocheckpoint=0",
                                                     "PRAGMA cache_size=-8192", "PRAGMA mmap_size=268435456"};
  for (const std::string& setting : settings)
    if (auto done = database.execute(setting); !done)
      return fail(fmt::format("cannot open the store {}: {}", path, done.error().message));
  if (mode == Mode::write) sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  return database;
}

Database::~Database() {
  if (handle_ && damage_ && damage_->is_found())
    sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

Result<void> Database::execute(const std::string& sql) {
  char* message = nullptr;
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, &message);
  const std::unique_ptr<char, decltype(&sqlite3_free)> owned(message, sqlite3_free);
  if (code == SQLITE_OK) return {};
  if (damage_) damage_->inspect(code, sqlite3_errmsg(handle_.get()));
  return fail(fmt::format("{}: {}", sql.substr(0, 60), message != nullptr ? message : "failed"));
}

Database::Prepared Database::make(const std::string& sql) {
  sqlite3_stmt* made = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.c_str(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  // An invalid SQL text is a programming error. Other errors can be caused by the disk, because SQLite may read the
  // schema; step() then fails.
  FINALITY_CHECK((code & 0xFF) != SQLITE_ERROR, sql + ": " + sqlite3_errmsg(handle_.get()));
  if (code != SQLITE_OK && damage_) damage_->inspect(code, sqlite3_errmsg(handle_.get()));
  return Prepared(made);
}

SqlStatement Database::prepare(const std::string& sql) {
  Prepared& statement = statements_[sql];
  if (!statement) statement = make(sql);
  return SqlStatement(statement.get(), flushed_.get(), damage_.get());
}

SqlStatement Database::prepare(const Sql& sql) {
  if (sql.number() >= numbered_.size()) numbered_.resize(sql.number() + 1);
  Prepared& statement = numbered_[sql.number()];
  if (!statement) statement = make(sql.text());
  return SqlStatement(statement.get(), flushed_.get(), damage_.get());
}

Result<void> Database::sync(int file) {
  sqlite3_file* found = nullptr;
  sqlite3_file_control(handle_.get(), "main", file, &found);
  FINALITY_CHECK(found != nullptr && found->pMethods != nullptr, "the file is not open");
  const int code = found->pMethods->xSync(found, SQLITE_SYNC_NORMAL);
  if (code != SQLITE_OK) return fail(fmt::format("sync: {}", sqlite3_errstr(code)));
  return {};
}

Error Database::error(std::string_view what) const {
  return {fmt::format("{}: {} ({})", what, sqlite3_errmsg(handle_.get()), error_code())};
}

}  // namespace finality::sqlite
