// The database schema as numbered migrations. Both stores share one text, with placeholders where their SQL differs:
//   {id}         a 64-bit integer that is the whole primary key
//   {int}        a 64-bit integer          {bytes}      bytes
//   {clustered}  rows are stored in primary key order (WITHOUT ROWID on SQLite; empty on PostgreSQL)
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

/// The number of the first migration, which creates the whole schema. Stores with an older schema are rejected, because
/// their names of states differ.
inline constexpr int kBaselineSchema = 15;

/// All migrations in the order of their numbers, without gaps. A released migration never changes.
std::span<const Migration> migrations();
/// The number of the last migration.
int newest_schema();

/// The error message for a store whose schema is older than the baseline.
std::string refusal_of_older_schema(std::string_view place, int version);

struct Dialect {
  std::string_view id;
  std::string_view integer;
  std::string_view bytes;
  std::string_view clustered;
};

inline constexpr Dialect kSqliteDialect{
    .id = "INTEGER PRIMARY KEY", .integer = "INTEGER", .bytes = "BLOB", .clustered = "WITHOUT ROWID"};
inline constexpr Dialect kPostgresDialect{
    .id = "bigint PRIMARY KEY", .integer = "bigint", .bytes = "bytea", .clustered = ""};

/// Returns `sql` with its placeholders replaced by the dialect's terms.
std::string in_dialect(std::string_view sql, const Dialect& dialect);

}  // namespace finality::store
