#include "sandbox/core/database.h"

#include <sqlite3.h>

namespace finality::sandbox {
namespace {

void require_ok(sqlite3* connection, int code, const char* what) {
  if (code == SQLITE_OK) return;
  throw DatabaseError(std::string(what) + ": " + (connection != nullptr ? sqlite3_errmsg(connection) : "no memory"));
}

}  // namespace

Rows::~Rows() { sqlite3_reset(statement_); }

bool Rows::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw DatabaseError(std::string("SQLite statement failed: ") + sqlite3_errmsg(sqlite3_db_handle(statement_)));
}

std::int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Rows::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::optional<Time> Rows::time_or_null(int column) const {
  return is_null(column) ? std::nullopt : std::optional(time(column));
}

std::optional<std::string> Rows::text_or_null(int column) const {
  return is_null(column) ? std::nullopt : std::optional(text(column));
}

SqlStatement::SqlStatement(sqlite3* connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  statement_.reset(statement);
  require_ok(connection, code, "SQLite cannot prepare a statement");
}

void SqlStatement::bind(int index, std::int64_t value) {
  require_ok(sqlite3_db_handle(statement_.get()), sqlite3_bind_int64(statement_.get(), index, value),
             "SQLite cannot bind an integer");
}

void SqlStatement::bind(int index, std::string_view value) {
  // SQLITE_TRANSIENT: SQLite copies the text, because the caller may destroy it before the statement is executed.
  const int code = sqlite3_bind_text(statement_.get(), index, value.data() != nullptr ? value.data() : "",
                                     static_cast<int>(value.size()), SQLITE_TRANSIENT);
  require_ok(sqlite3_db_handle(statement_.get()), code, "SQLite cannot bind a text");
}

void SqlStatement::bind_null(int index) {
  require_ok(sqlite3_db_handle(statement_.get()), sqlite3_bind_null(statement_.get(), index),
             "SQLite cannot bind a null");
}

void SqlStatement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::string& path) {
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  require_ok(connection, code, "SQLite cannot open the file");
  // The exclusive lock prevents a second sandbox from opening the database. The empty transaction acquires the lock.
  execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  execute("BEGIN IMMEDIATE; COMMIT;");
}

void Database::execute(const char* sql) {
  require_ok(connection_.get(), sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr),
             "SQLite cannot execute a statement");
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

}  // namespace finality::sandbox
