// INSERT, UPDATE and SELECT statements for row types, generated from their column descriptions (store/sql/columns.h).
#pragma once

#include <string>

#include "model/row.h"
#include "store/sql/columns.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

std::string insert_text(const store::RowType& type);
/// Returns the UPDATE statement of the mutable columns. Its parameters are these columns, then the key columns and, for
/// a root, the base version.
std::string update_text(const store::RowType& type);
/// Returns `SELECT columns FROM table rest` with all columns of the row type.
std::string select_text(const store::RowType& type, std::string_view rest);

template <class Row>
std::string select_text(std::string_view rest) {
  return select_text(store::row_type<Row>(), rest);
}
/// Returns the statement of select_text<Row>() as an Sql object, for a static variable.
template <class Row>
Sql select_sql(std::string_view rest) {
  return Sql(select_text<Row>(rest));
}

Result<bool> insert_row(Database& database, const Sql& sql, const store::RowType& type, const void* row);
Result<bool> update_row(Database& database, const Sql& sql, const store::RowType& type, const void* row,
                        std::int64_t base_version);
/// Steps the statement. Returns true if a row was read into `row`, false if there are no more rows.
Result<bool> read_row(Database& database, SqlStatement& statement, const store::RowType& type, void* row);

/// Inserts the row. Returns false if a row with the same key exists.
template <class Row>
Result<bool> insert_row(Database& database, const Row& row) {
  static const Sql sql(insert_text(store::row_type<Row>()));
  return insert_row(database, sql, store::row_type<Row>(), &row);
}

/// Updates the row by its key. Returns false if the row does not exist or, for a root, does not have `base_version`.
template <class Row>
Result<bool> update_row(Database& database, const Row& row, std::int64_t base_version = 0) {
  static const Sql sql(update_text(store::row_type<Row>()));
  return update_row(database, sql, store::row_type<Row>(), &row, base_version);
}

/// Runs a query and returns all its rows. REQUIRES: its columns are those of `Row`, and its parameters are bound.
template <class Row>
Result<std::vector<Row>> read_rows(Database& database, SqlStatement& statement) {
  std::vector<Row> rows;
  for (;;) {
    const Result<bool> read = read_row(database, statement, store::row_type<Row>(), &rows.emplace_back());
    if (!read) return std::unexpected(read.error());
    if (*read) continue;
    rows.pop_back();
    return rows;
  }
}

template <class Row, class... Parameters>
Result<std::vector<Row>> select_rows(Database& database, const Sql& sql, const Parameters&... parameters) {
  SqlStatement statement = database.prepare(sql);
  (statement.bind(parameters), ...);
  return read_rows<Row>(database, statement);
}

template <class Row, class... Parameters>
Result<std::optional<Row>> select_row(Database& database, const Sql& sql, const Parameters&... parameters) {
  auto rows = select_rows<Row>(database, sql, parameters...);
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? std::nullopt : std::optional(std::move(rows->front()));
}

}  // namespace finality::sqlite
