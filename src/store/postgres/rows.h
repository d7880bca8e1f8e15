// Statements generated from the column list of a row type: select, and insert and update of row sets. A write takes one
// array per column, so that one statement writes any number of rows.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "model/objects/api_key.h"
#include "model/objects/merchant.h"
#include "model/row.h"
#include "store/postgres/connection.h"
#include "store/postgres/statement.h"
#include "store/sql/columns.h"

namespace finality::postgres {

/// `SELECT columns FROM table`, followed by `rest`.
std::string select_sql(const store::RowType& type, std::string_view rest);
template <class Row>
std::string select_sql(std::string_view rest) {
  return select_sql(store::kRowType<Row>, rest);
}

/// The distribution column of a table: the merchant's id.
template <class Row>
constexpr std::string_view owner_column() {
  return RowTraits<Row>::options.owner == Owner::self ? "id" : "merchant_id";
}

template <class Row>
inline constexpr bool kDistributed = RowTraits<Row>::options.owner != Owner::none;

template <class Row>
inline constexpr Shards kShardsOfRows = kDistributed<Row> ? Shards::merchants : Shards::reference;

/// How the rows of a type are distributed over shards.
struct Sharding {
  std::string_view owner;  // the distribution column
  bool is_distributed;
  Shards shards;
};
template <class Row>
inline constexpr Sharding kSharding{owner_column<Row>(), kDistributed<Row>, kShardsOfRows<Row>};

/// Declares the insert. An existing key is an error, which a lane treats as a conflict. ON CONFLICT DO NOTHING would
/// look up every row before the write and confirm it afterwards, and Citus counts skipped rows as inserted (Citus issue
/// 3377).
Declared insert_declared(const store::RowType& type, const Sharding& sharding);

template <class Row>
inline const SqlStatement kInsert{insert_declared(store::kRowType<Row>, kSharding<Row>)};

/// The condition that selects the shards, for rows `t` joined with `v`. Parameter `number` lists the owners.
std::string owners_of_joined(std::string_view owner, int number);
template <class Row>
std::string owners_of_joined(int number) {
  return owners_of_joined(owner_column<Row>(), number);
}

/// Declares the update of the mutable columns, by primary key. A root is updated only at the version that the decision
/// read. REQUIRES: the owner column does not change, since a row cannot move to another shard.
Declared update_declared(const store::RowType& type, const Sharding& sharding);

template <class Row>
inline const SqlStatement kUpdate{update_declared(store::kRowType<Row>, kSharding<Row>)};

/// One array per column of `rows`, which point to rows of `type`.
Parameters all_columns(const store::RowType& type, const std::vector<const void*>& rows);
/// One array per column that the update of `type` uses, key columns included.
Parameters update_columns(const store::RowType& type, const Sharding& sharding, const std::vector<const void*>& rows);

template <class Row>
Result<std::vector<Row>> rows_of(const Reply& reply) {
  std::vector<Row> rows(static_cast<std::size_t>(reply.rows()));
  for (int i = 0; i < reply.rows(); ++i)
    if (auto read = reply.row(i).read_row(store::kRowType<Row>, &rows[static_cast<std::size_t>(i)]); !read)
      return std::unexpected(std::move(read.error()));
  return rows;
}

/// Reads the rows of several replies and keeps the first error.
class RowReader {
 public:
  /// Returns the rows of a reply, or no rows when one of them cannot be read.
  template <class Row>
  std::vector<Row> read(const Reply& reply) {
    auto rows = rows_of<Row>(reply);
    if (rows) return std::move(*rows);
    if (!error_) error_ = std::move(rows.error());
    return {};
  }
  /// The first error of read(), if any.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace finality::postgres
