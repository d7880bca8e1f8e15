// Statements by row type, made from its column list: insert, update, select.
#pragma once

#include <string>

#include "model/row.h"
#include "store/columns.h"
#include "store/sqlite/database.h"

namespace finality::sqlite {

template <class Row>
const Sql& insert_sql() {
  static const Sql sql([] {
    std::string places;
    store::for_each_column<Row>([&](std::string_view, auto) { places += places.empty() ? "?" : ",?"; });
    return "INSERT INTO " + std::string(RowTraits<Row>::table) + " (" + store::column_names<Row>() + ") VALUES (" +
           places + ") ON CONFLICT DO NOTHING";
  }());
  return sql;
}

/// Sets what can change; the key follows, and for a root the version it was decided on.
template <class Row>
const Sql& update_sql() {
  static const Sql sql([] {
    std::string sets;
    store::for_each_changing_column<Row>([&](std::string_view name, auto) {
      sets += sets.empty() ? "" : ", ";
      sets += std::string(name) + "=?";
    });
    std::string where;
    store::for_each_key_column<Row>([&](std::string_view name, auto) {
      where += where.empty() ? "" : " AND ";
      where += std::string(name) + "=?";
    });
    if (RowTraits<Row>::kind == RowKind::root) where += " AND version=?";
    return "UPDATE " + std::string(RowTraits<Row>::table) + " SET " + sets + " WHERE " + where;
  }());
  return sql;
}

/// `SELECT columns FROM table` and `rest`.
template <class Row>
std::string select_text(std::string_view rest) {
  return "SELECT " + store::column_names<Row>() + " FROM " + std::string(RowTraits<Row>::table) + " " +
         std::string(rest);
}
/// The same as a statement to keep.
template <class Row>
Sql select_sql(std::string_view rest) {
  return Sql(select_text<Row>(rest));
}

/// One row inserted? False when its key is taken.
template <class Row>
Result<bool> insert_row(Database& database, const Row& row) {
  Statement statement = database.prepare(insert_sql<Row>());
  store::for_each_column<Row>([&](std::string_view, auto member) { statement.bind(row.*member); });
  if (statement.step() != StepResult::done)
    return std::unexpected(database.error("insert into " + std::string(RowTraits<Row>::table)));
  return database.changes() == 1;
}

/// One row updated? False when it, or for a root its base version, is not there any more.
template <class Row>
Result<bool> update_row(Database& database, const Row& row, std::int64_t base_version = 0) {
  Statement statement = database.prepare(update_sql<Row>());
  const auto bind = [&](std::string_view, auto member) { statement.bind(row.*member); };
  store::for_each_changing_column<Row>(bind);
  store::for_each_key_column<Row>(bind);
  if constexpr (RowTraits<Row>::kind == RowKind::root) statement.bind(base_version);
  if (statement.step() != StepResult::done)
    return std::unexpected(database.error("update " + std::string(RowTraits<Row>::table)));
  return database.changes() == 1;
}

/// All rows of a query whose columns are a row's, its parameters bound already.
template <class Row>
Result<std::vector<Row>> read_rows(Database& database, Statement& statement) {
  std::vector<Row> rows;
  for (;;) {
    switch (statement.step()) {
      case StepResult::row:
        rows.push_back(statement.read_row<Row>());
        break;
      case StepResult::done:
        return rows;
      case StepResult::failed:
        return std::unexpected(database.error("read " + std::string(RowTraits<Row>::table)));
    }
  }
}

template <class Row, class... Parameters>
Result<std::vector<Row>> select_rows(Database& database, const Sql& sql, const Parameters&... parameters) {
  Statement statement = database.prepare(sql);
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
