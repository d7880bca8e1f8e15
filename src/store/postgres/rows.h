// Statements by row type, made from its column list: set-wise insert and update, select. A statement takes one array
// per column, so that one of it writes any number of rows.
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

/// `SELECT columns FROM table` and `rest`.
std::string select_sql(const store::RowType& type, std::string_view rest);
template <class Row>
std::string select_sql(std::string_view rest) {
  return select_sql(store::kRowType<Row>, rest);
}

/// What distributes a table's rows: their merchant; merchants by themselves.
template <class Row>
constexpr std::string_view owner_column() {
  return RowTraits<Row>::options.owner == Owner::self ? "id" : "merchant_id";
}

template <class Row>
inline constexpr bool kDistributed = RowTraits<Row>::options.owner != Owner::none;

template <class Row>
inline constexpr Shards kShardsOfRows = kDistributed<Row> ? Shards::merchants : Shards::reference;

/// How the rows of a type are spread over shards.
struct Sharding {
  std::string_view owner;  // the column that distributes them
  bool is_distributed;
  Shards shards;
};
template <class Row>
inline constexpr Sharding kSharding{owner_column<Row>(), kDistributed<Row>, kShardsOfRows<Row>};

/// What is there already is an error, which a lane takes as a conflict. ON CONFLICT DO NOTHING would have every row
/// looked up before and confirmed after it is written; and Citus counts what it passed over as inserted (its issue
/// 3377).
Declared insert_declared(const store::RowType& type, const Sharding& sharding);

template <class Row>
inline const SqlStatement kInsert{insert_declared(store::kRowType<Row>, kSharding<Row>)};

/// The condition that names the shards, for rows `t` that are joined with `v`, whose owners are parameter `number`.
std::string owners_of_joined(std::string_view owner, int number);
template <class Row>
std::string owners_of_joined(int number) {
  return owners_of_joined(owner_column<Row>(), number);
}

/// Sets what can change, of the rows with these keys; of a root only over the version it was decided on.
/// REQUIRES: the owner does not change, or a row would move to another shard.
Declared update_declared(const store::RowType& type, const Sharding& sharding);

template <class Row>
inline const SqlStatement kUpdate{update_declared(store::kRowType<Row>, kSharding<Row>)};

/// One array per column of `rows`, which are of the type.
Parameters all_columns(const store::RowType& type, const std::vector<const void*>& rows);
/// The same of the columns that kUpdate has.
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
  /// The rows of a reply; none where one cannot be read.
  template <class Row>
  std::vector<Row> read(const Reply& reply) {
    auto rows = rows_of<Row>(reply);
    if (rows) return std::move(*rows);
    if (!error_) error_ = std::move(rows.error());
    return {};
  }
  /// Why rows are missing from what read() returned.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace finality::postgres
