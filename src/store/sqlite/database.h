// A thin, typed skin over SQLite's C API: connections, prepared statements, and column types.
//
// Errors are values where the outside can cause them (open, step); a wrong statement text is a mistake of this program.
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
#include "store/sqlite/flushed.h"

namespace finality::sqlite {

enum class StepResult : std::uint8_t { row, done, failed };

/// A prepared statement in use. Resets itself when it goes out of scope; one that ends a read then waits until the disk
/// has what it saw.
class SqlStatement {
 public:
  explicit SqlStatement(sqlite3_stmt* statement, Flushed* flushed = nullptr)
      : statement_(statement), flushed_(flushed) {}
  ~SqlStatement();
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;

  /// Binds the next parameter. Text and bytes must live until the statement has run.
  template <class T>
  SqlStatement& bind(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      put(++bound_, std::string_view(value));
    else
      bind_value(store::kValueType<T>, &value);
    return *this;
  }
  /// The same with a value whose type is not named.
  void bind_value(const store::ValueType& type, const void* value);
  StepResult step();
  /// Reads the next column of the current row. REQUIRES: the statement answers with a T there.
  template <class T>
  void read(T& value) {
    static_assert(store::kind_of_value<T>() != store::ValueKind::name, "a stored word may be unknown: use read_row()");
    read_value(store::kValueType<T>, &value);
  }
  template <class T>
  T read() {
    T value{};
    read(value);
    return value;
  }
  /// Reads a whole row into `row`, its columns in the order of its description.
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
  void put(int at, const Hash16& value) {
    sqlite3_bind_blob(statement_, at, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
  }
  void read_value(const store::ValueType& type, void* value);

  sqlite3_stmt* statement_;
  Flushed* flushed_;
  std::uint64_t seen_ = 0;  // the last commit that it may have read
  int bound_ = 0;
  int read_ = 0;
};

/// The text of a statement that is used again and again; one static object each. Every connection keeps its prepared
/// form under the number, since finding it by a text of hundreds of characters costs as much as a short statement.
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

/// One connection. Not thread safe.
class Database {
 public:
  enum class Mode : std::uint8_t { write, read };

  static Result<Database> open(const std::string& path, Mode mode);
  Database(Database&& other) noexcept = default;
  Database& operator=(Database&& other) noexcept = default;

  /// Of a connection that reads: what it has read is on the disk when the statement, or the transaction around it, is
  /// over.
  void read_flushed(std::shared_ptr<Flushed> flushed) { flushed_ = std::move(flushed); }

  /// Runs statements that return nothing.
  Result<void> execute(const std::string& sql);
  /// The statement of that text, prepared once per connection. Where the file cannot be read its step() fails.
  SqlStatement prepare(const Sql& sql);
  /// The same for a text that is put together where it is used.
  SqlStatement prepare(const std::string& sql);
  /// Rows changed by the last statement.
  std::int64_t changes() const { return sqlite3_changes64(handle_.get()); }
  /// The last error, in words.
  Error error(std::string_view what) const;
  int error_code() const { return sqlite3_extended_errcode(handle_.get()); }
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }

  /// Brings to the disk what any connection has written into the file, or into its write-ahead log.
  Result<void> sync_file() { return sync(SQLITE_FCNTL_FILE_POINTER); }
  Result<void> sync_log() { return sync(SQLITE_FCNTL_JOURNAL_POINTER); }
  /// For what has no place here; owned by this.
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
  using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;
  Prepared make(const std::string& sql);
  std::unordered_map<std::string, Prepared> statements_;
  std::vector<Prepared> numbered_;
};

}  // namespace finality::sqlite
