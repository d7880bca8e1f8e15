// The database schema as numbered migrations. SQLite and PostgreSQL share one SQL text, with placeholders where their
// dialects differ:
//   {id}         a 64-bit integer that is the whole primary key
//   {int}        a 64-bit integer          {bytes}      bytes
//   {clustered}  rows are stored in primary key order (WITHOUT ROWID on SQLite; empty on PostgreSQL)
//   {steps}      the relation `s` with one row per step of the change `c`; its column `value` is the JSON of the step
//   {join}       the aggregate function that joins texts
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace finality::store {

struct Migration {
  int number;
  std::string_view name;
  std::string_view sql;
};

/// The schema version that the first migration creates. A store with a lower version is rejected, because older
/// versions used other state names.
inline constexpr int kBaselineSchema = 15;

/// All migrations, sorted by number, without gaps. A released migration must never change.
std::span<const Migration> migrations();
/// The number of the last migration, which is the schema version that this program needs.
int newest_schema();

/// Returns the error message for a store whose schema version is below kBaselineSchema. `place` names the store.
std::string refusal_of_older_schema(std::string_view place, int version);

struct Dialect {
  std::string_view id;
  std::string_view integer;
  std::string_view bytes;
  std::string_view clustered;
  std::string_view steps;
  std::string_view join;
};

inline constexpr Dialect kSqliteDialect{
    .id = "INTEGER PRIMARY KEY",
    .integer = "INTEGER",
    .bytes = "BLOB",
    .clustered = "WITHOUT ROWID",
    .steps = "json_each(CASE WHEN json_valid(c.steps) THEN c.steps ELSE '[]' END) s",
    .join = "group_concat"};
inline constexpr Dialect kPostgresDialect{.id = "bigint PRIMARY KEY",
                                          .integer = "bigint",
                                          .bytes = "bytea",
                                          .clustered = "",
                                          .steps = "jsonb_array_elements(c.steps::jsonb) s",
                                          .join = "string_agg"};

/// Returns `sql` with its placeholders replaced by the terms of the dialect.
std::string in_dialect(std::string_view sql, const Dialect& dialect);

}  // namespace finality::store
