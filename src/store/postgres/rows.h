// SELECT, INSERT and UPDATE statements, generated from the columns of a row type. INSERT and UPDATE take one array per
// column as parameters, so that one statement writes any number of rows.
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

/// Returns `SELECT columns FROM table rest` with all columns of the row type.
std::string select_sql(const store::RowType& type, std::string_view rest);
template <class Row>
std::string select_sql(std::string_view rest) {
  return select_sql(store::row_type<Row>(), rest);
}

/// The distribution column of a row type's table, which contains the merchant's id.
template <class Row>
constexpr std::string_view owner_column() {
  return RowTraits<Row>::options.owner == Owner::self ? "id" : "merchant_id";
}

template <class Row>
inline constexpr bool kDistributed = RowTraits<Row>::options.owner != Owner::none;

template <class Row>
inline constexpr Shards kShardsOfRows = kDistributed<Row> ? Shards::merchants : Shards::reference;

/// Distribution of a row type's table over shards.
struct Sharding {
  std::string_view owner;  // the distribution column, if the table is distributed
  bool is_distributed;
  Shards shards;
};
template <class Row>
inline constexpr Sharding kSharding{owner_column<Row>(), kDistributed<Row>, kShardsOfRows<Row>};

/// Declares the INSERT statement. A key that exists already is an error, which the session reports as a conflict. ON
/// CONFLICT DO NOTHING is not used, because it is slower, and Citus counts the skipped rows as inserted (Citus issue
/// 3377).
Declared insert_declared(const store::RowType& type, const Sharding& sharding);

template <class Row>
inline const SqlStatement kInsert{insert_declared(store::row_type<Row>(), kSharding<Row>)};

/// Returns the condition that selects the shards of a statement that joins a table `t` with the parameters `v`. The
/// merchants are in parameter $number.
std::string owners_of_joined(std::string_view owner, int number);
template <class Row>
std::string owners_of_joined(int number) {
  return owners_of_joined(owner_column<Row>(), number);
}

/// Declares the UPDATE statement for the mutable columns, by primary key. It updates a root only if the root still has
/// the base version. REQUIRES: the merchant of a row never changes, because a row cannot move to another shard.
Declared update_declared(const store::RowType& type, const Sharding& sharding);

template <class Row>
inline const SqlStatement kUpdate{update_declared(store::row_type<Row>(), kSharding<Row>)};

/// Returns the parameters of the INSERT statement: one array per column. `rows` point to rows of `type`.
Parameters all_columns(const store::RowType& type, const std::vector<const void*>& rows);
/// Returns the parameters of the UPDATE statement without the base versions: one array per column that it uses.
Parameters update_columns(const store::RowType& type, const Sharding& sharding, const std::vector<const void*>& rows);

template <class Row>
Result<std::vector<Row>> rows_of(const Reply& reply) {
  std::vector<Row> rows(static_cast<std::size_t>(reply.rows()));
  for (int i = 0; i < reply.rows(); ++i)
    if (auto read = reply.row(i).read_row(store::row_type<Row>(), &rows[static_cast<std::size_t>(i)]); !read)
      return std::unexpected(std::move(read.error()));
  return rows;
}

/// Reads the rows of several replies and stores the first error, so that a caller checks for errors once.
class RowReader {
 public:
  /// Returns the rows of a reply. Returns no rows if a row cannot be read.
  template <class Row>
  std::vector<Row> read(const Reply& reply) {
    auto rows = rows_of<Row>(reply);
    if (rows) return std::move(*rows);
    if (!error_) error_ = std::move(rows.error());
    return {};
  }
  /// Stores an error of rows that were read, such as an invalid text in them.
  void note(Error error) {
    if (!error_) error_ = std::move(error);
  }
  /// The first error of read() or note(); empty if all rows could be read.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace finality::postgres
