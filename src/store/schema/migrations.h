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

/// All migrations, by number from 1 without gaps. One that has been released never changes.
std::span<const Migration> migrations();

/// Up to this schema keys were kept under other bytes (ADR 0023, 0025), which this program would not find.
inline constexpr int kOtherKeysUntil = 7;
/// How many of them there are, at most one.
inline constexpr std::string_view kCountKeys =
    "SELECT count(*) FROM (SELECT hash FROM keys UNION ALL SELECT hash FROM idempotency_keys LIMIT 1) k";
/// What to say of a store that has any.
std::string refusal_of_other_keys(std::string_view place, int version);

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
/// What makes an empty store one of the schema `number`, but for saying so.
std::string schema_sql(int number, const Dialect& dialect);

}  // namespace finality::store
