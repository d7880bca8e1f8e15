// RAII wrappers for SQLite: a connection, prepared statements, and the rows of one execution of a statement.
//
// Not thread safe: one thread at a time. Failures throw DatabaseError. The owner of the connection must catch it and
// roll back the transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/time/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace finality::sandbox {

class DatabaseError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Result rows of one execution of a statement. The statement can be executed again after this object is destroyed.
class Rows {
 public:
  explicit Rows(sqlite3_stmt* statement) : statement_(statement) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// Moves to the first or next row. Returns false when there are no more rows.
  bool next();

  // Return the value of a column of the current row. Columns are numbered from 0.
  std::int64_t integer(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;
  Time time(int column) const { return {integer(column)}; }
  std::optional<Time> time_or_null(int column) const;
  std::optional<std::string> text_or_null(int column) const;

 private:
  sqlite3_stmt* statement_;
};

/// Prepared statement. REQUIRES: the Database outlives the statement, and at most one Rows of it exists at a time.
class SqlStatement {
 public:
  SqlStatement(sqlite3* connection, std::string_view sql);
  SqlStatement(SqlStatement&&) = default;
  SqlStatement& operator=(SqlStatement&&) = default;

  /// Binds `values` to the parameters and returns the rows. The first call of Rows::next() executes the statement.
  template <class... Values>
  Rows rows(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    return Rows(statement_.get());
  }

  /// Binds `values` to the parameters and executes the statement to completion. Discards result rows.
  template <class... Values>
  void run(const Values&... values) {
    Rows all = rows(values...);
    while (all.next()) {
    }
  }

 private:
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view value);
  void bind(int index, Time value) { bind(index, value.ms); }
  template <class Value>
  void bind(int index, const std::optional<Value>& value) {
    if (value) {
      bind(index, *value);
    } else {
      bind_null(index);
    }
  }
  void bind_null(int index);

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class Database {
 public:
  /// Opens or creates the file with an exclusive lock, in WAL mode with a sync at every commit.
  explicit Database(const std::string& path);

  /// Executes SQL statements that have no parameters. Discards result rows.
  void execute(const char* sql);
  SqlStatement prepare(std::string_view sql) { return SqlStatement(connection_.get(), sql); }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::unique_ptr<sqlite3, Close> connection_;
};

}  // namespace finality::sandbox
