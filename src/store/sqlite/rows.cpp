#include "store/sqlite/rows.h"

namespace finality::sqlite {
namespace {

// Returns "a=?, b=?" for the columns for which `wanted` returns true, with `between` instead of the comma.
template <class Wanted>
std::string placeholders(const store::RowType& type, std::string_view between, Wanted wanted) {
  std::string text;
  for (const store::Column& column : type.columns) {
    if (!wanted(column)) continue;
    if (!text.empty()) text += between;
    text += column.name;
    text += "=?";
  }
  return text;
}

bool is_key(const store::Column& column) { return column.is_key; }
bool changes(const store::Column& column) { return column.changes; }

Result<bool> run(Database& database, SqlStatement& statement, std::string_view what, const store::RowType& type) {
  if (statement.step() != StepResult::done)
    return std::unexpected(database.error(std::string(what) + std::string(type.table)));
  return database.changes() == 1;
}

}  // namespace

std::string insert_text(const store::RowType& type) {
  std::string places;
  for (std::size_t i = 0; i < type.columns.size(); ++i) places += i == 0 ? "?" : ",?";
  return "INSERT INTO " + std::string(type.table) + " (" + store::column_names(type) + ") VALUES (" + places +
         ") ON CONFLICT DO NOTHING";
}

std::string update_text(const store::RowType& type) {
  std::string where = placeholders(type, " AND ", is_key);
  if (type.kind == RowKind::root) where += " AND version=?";
  return "UPDATE " + std::string(type.table) + " SET " + placeholders(type, ", ", changes) + " WHERE " + where;
}

std::string select_text(const store::RowType& type, std::string_view rest) {
  return "SELECT " + store::column_names(type) + " FROM " + std::string(type.table) + " " + std::string(rest);
}

Result<bool> insert_row(Database& database, const Sql& sql, const store::RowType& type, const void* row) {
  SqlStatement statement = database.prepare(sql);
  for (const store::Column& column : type.columns) statement.bind_value(*column.type, column.in(row));
  return run(database, statement, "insert into ", type);
}

Result<bool> update_row(Database& database, const Sql& sql, const store::RowType& type, const void* row,
                        std::int64_t base_version) {
  SqlStatement statement = database.prepare(sql);
  for (const store::Column& column : type.columns)
    if (column.changes) statement.bind_value(*column.type, column.in(row));
  for (const store::Column& column : type.columns)
    if (column.is_key) statement.bind_value(*column.type, column.in(row));
  if (type.kind == RowKind::root) statement.bind(base_version);
  return run(database, statement, "update ", type);
}

Result<bool> read_row(Database& database, SqlStatement& statement, const store::RowType& type, void* row) {
  const StepResult step = statement.step();
  if (step == StepResult::failed) return std::unexpected(database.error("read " + std::string(type.table)));
  if (step != StepResult::row) return false;
  if (auto read = statement.read_row(type, row); !read) return std::unexpected(std::move(read.error()));
  return true;
}

}  // namespace finality::sqlite
