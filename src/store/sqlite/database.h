// Typed C++ wrapper around SQLite's C API: connections, prepared statements, parameters and columns.
//
// Errors of the file or the disk are returned. An invalid SQL text is a programming error and aborts the program.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "base/crypto/crypto.h"
#include "base/described.h"
#include "base/money.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "store/sql/columns.h"
#include "store/sqlite/damage.h"
#include "store/sqlite/flushed.h"

namespace finality::sqlite {

enum class StepResult : std::uint8_t { row, done, failed };

/// A prepared statement in use. The destructor resets it. On a connection with Database::read_flushed(), the end of a
/// read also waits until every commit that the statement may have read is durable.
class SqlStatement {
 public:
  explicit SqlStatement(sqlite3_stmt* statement, Flushed* flushed = nullptr, Damage* damage = nullptr)
      : statement_(statement), flushed_(flushed), damage_(damage) {}
  ~SqlStatement();
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  /// Binds the next parameter. Text and bytes are not copied: they must stay valid until the statement has run.
  template <class T>
  SqlStatement& bind(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      put(++bound_, std::string_view(value));
    else
      bind_value(store::kValueType<T>, &value);
    return *this;
  }
  /// Binds the next parameter to a value that `type` describes.
  void bind_value(const store::ValueType& type, const void* value);
  StepResult step();
  /// Reads the next column of the current row. REQUIRES: the column has type T.
  template <class T>
  void read(T& value) {
    static_assert(store::kind_of_value<T>() != store::ValueKind::name,
                  "a stored enumerator may be unknown: use read_row()");
    read_value(store::kValueType<T>, &value);
  }
  template <class T>
  T read() {
    T value{};
    read(value);
    return value;
  }
  /// Reads all columns into `row`. REQUIRES: the result has the columns of `type` in the order of its description.
  Result<void> read_row(const store::RowType& type, void* row);

 private:
  void put(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void put(int at, bool value) { sqlite3_bind_int64(statement_, at, value ? 1 : 0); }
  void put(int at, std::string_view value) {
    sqlite3_bind_text(statement_, at, value.data() != nullptr ? value.data() : "", static_cast<int>(value.size()),
                      SQLITE_STATIC);
  }
  void put(int at, const Currency& value) { put(at, value.text()); }
  void put(int at, const Secret& value) { put(at, std::string_view(value.reveal())); }
  void put(int at, const Bytes& value) {
    sqlite3_bind_blob(statement_, at, value.data().data(), static_cast<int>(value.data().size()), SQLITE_STATIC);
  }
  void put(int at, const Hash16& value) {
    sqlite3_bind_blob(statement_, at, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }
  void read_value(const store::ValueType& type, void* value);

  sqlite3_stmt* statement_;
  Flushed* flushed_;
  Damage* damage_;
  std::uint64_t last_commit_read_ = 0;  // number of the last commit that the statement may have read
  int bound_ = 0;
  int read_ = 0;
};

/// The text of a frequently used statement. There is one static object per statement. A connection finds its prepared
/// statement by `number()`, because a look-up by a long text takes as much time as running a short statement.
class Sql {
 public:
  explicit Sql(std::string text);
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  const std::string& text() const { return text_; }
  std::size_t number() const { return number_; }

 private:
  std::string text_;
  std::size_t number_;
};

/// A connection to a database file. Not thread safe.
class Database {
 public:
  enum class Mode : std::uint8_t { write, read };

  /// With Mode::write, opens a file that cannot be written for reading only: is_read_only().
  /// `damage`: records errors of this connection that mean damage; null: they are not recorded.
  static Result<Database> open(const std::string& path, Mode mode, std::shared_ptr<Damage> damage = nullptr);
  /// After damage, the last connection to the store leaves the log as it is.
  ~Database();
  Database(Database&& other) noexcept = default;
  Database& operator=(Database&& other) noexcept = default;

  /// For reading connections: from now on, the end of a statement or transaction waits until all commits that it read
  /// are durable.
  void read_flushed(std::shared_ptr<Flushed> flushed) { flushed_ = std::move(flushed); }

  bool is_read_only() const { return sqlite3_db_readonly(handle_.get(), "main") == 1; }

  /// Runs SQL text with one or more statements and ignores their rows.
  Result<void> execute(const std::string& sql);
  /// Returns the prepared statement, which each connection prepares once. If the file cannot be read, step() fails.
  SqlStatement prepare(const Sql& sql);
  /// Returns the prepared statement for a text that is built at run time.
  SqlStatement prepare(const std::string& sql);
  /// Number of rows that the last INSERT, UPDATE or DELETE changed.
  std::int64_t changes() const { return sqlite3_changes64(handle_.get()); }
  /// Returns the connection's last error, with a message that begins with `what`, the failed operation.
  Error error(std::string_view what) const;
  int error_code() const { return sqlite3_extended_errcode(handle_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

  /// Syncs the database file, or its write-ahead log, to the disk. Includes writes of other connections.
  Result<void> sync_file() { return sync(SQLITE_FCNTL_FILE_POINTER); }
  Result<void> sync_log() { return sync(SQLITE_FCNTL_JOURNAL_POINTER); }
  /// SQLite's handle of the connection, for functions that this class does not wrap. Owned by this object.
  sqlite3* handle() { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  Database() = default;
  Result<void> sync(int file);

  std::unique_ptr<sqlite3, Close> handle_;
  std::shared_ptr<Flushed> flushed_;
  std::shared_ptr<Damage> damage_;  // null: damage is not recorded
  using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;
  Prepared make(const std::string& sql);
  std::unordered_map<std::string, Prepared> statements_;
  std::vector<Prepared> numbered_;
};

}  // namespace finality::sqlite
