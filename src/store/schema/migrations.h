// The schema, as numbered migrations. One text serves both stores; where their words differ stands a placeholder:
//   {id}         a 64-bit integer that is the whole primary key
//   {int}        a 64-bit integer          {bytes}      bytes
//   {clustered}  rows are kept in the order of the primary key (SQLite; PostgreSQL has no such tables)
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

/// The number of the first migration. It makes the whole schema; stores of an older one are refused, since other words
/// are stored there.
inline constexpr int kBaselineSchema = 15;

/// All migrations, by number without gaps. One that has been released never changes.
std::span<const Migration> migrations();
/// The number of the last one.
int newest_schema();

/// The message about a store whose schema is older than the baseline.
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

/// The migration's SQL in a store's words.
std::string in_dialect(std::string_view sql, const Dialect& dialect);

}  // namespace finality::store
