// Statements by row type, made from its column list: set-wise insert and update, select. A statement takes one array
// per column, so that one of it writes any number of rows.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/api_key.h"
#include "model/merchant.h"
#include "model/row.h"
#include "store/columns.h"
#include "store/postgres/connection.h"
#include "store/postgres/statement.h"

namespace finality::postgres {

/// `SELECT columns FROM table` and `rest`.
template <class Row>
std::string select_sql(std::string_view rest) {
  return fmt::format("SELECT {} FROM {} {}", store::column_names<Row>(), RowTraits<Row>::table, rest);
}

/// A statement's lists, $1 first: a column of the table `v` for each.
class ParameterTable {
 public:
  void add(std::string_view column, SqlType type) {
    const std::string list = fmt::format("${}::{}[]", ++count_, sql_name(type));
    const std::string_view comma = count_ == 1 ? "" : ", ";
    listed_ += fmt::format("{}unnest({}) AS {}", comma, list, column);
    lists_ += fmt::format("{}{}", comma, list);
    names_ += fmt::format("{}{}", comma, column);
  }
  RowsText text() const {
    return {.listed = fmt::format("(SELECT {}) AS v", listed_),
            .function = fmt::format("unnest({}) AS v({})", lists_, names_)};
  }
  int count() const { return count_; }

 private:
  std::string listed_;
  std::string lists_;
  std::string names_;
  int count_ = 0;
};

/// What distributes a table's rows: their merchant; merchants by themselves.
template <class Row>
constexpr std::string_view owner_column() {
  return std::is_same_v<Row, Merchant> ? "id" : "merchant_id";
}

/// API keys may belong to no merchant, and are looked up by their hash alone: their table is whole on every machine.
template <class Row>
inline constexpr bool kDistributed = !std::is_same_v<Row, ApiKey>;

template <class Row>
inline constexpr Shards kShardsOfRows = kDistributed<Row> ? Shards::merchants : Shards::reference;

/// What is there already is an error, which a lane takes as a conflict. ON CONFLICT DO NOTHING would have every row
/// looked up before and confirmed after it is written; and Citus counts what it passed over as inserted (its issue
/// 3377).
template <class Row>
Declared insert_declared() {
  ParameterTable values;
  store::for_each_column<Row>([&]<class T>(std::string_view name, T Row::*) { values.add(name, sql_type_of<T>()); });
  const std::string columns = store::column_names<Row>();
  const std::string table(RowTraits<Row>::table);
  return {.name = "write.insert." + table,
          .shards = kShardsOfRows<Row>,
          .tables = table,
          .purpose = "rows that a batch made",
          .text = fmt::format("INSERT INTO {} ({}) SELECT {} FROM @rows", table, columns, columns),
          .rows = values.text()};
}

template <class Row>
inline const Statement kInsert{insert_declared<Row>()};

/// Whether an update has to be told the column: to find the row, or to write it.
template <class Row>
constexpr bool is_in_update(std::string_view column) {
  return listed(RowTraits<Row>::key, column) || store::changes<Row>(column) ||
         (kDistributed<Row> && column == owner_column<Row>());
}

/// The condition that names the shards, for rows `t` that are joined with `v`, whose owners are parameter `number`.
template <class Row>
std::string owners_of_joined(int number) {
  return fmt::format(" AND t.{0} = v.{0} AND t.{0} = ANY(${1}::bigint[])", owner_column<Row>(), number);
}

/// Sets what can change, of the rows with these keys; of a root only over the version it was decided on.
template <class Row>
Declared update_declared() {
  static_assert(!kDistributed<Row> || !store::changes<Row>(owner_column<Row>()), "a row cannot move to another shard");
  ParameterTable values;
  std::string sets;
  std::string where;
  int owner = 0;
  store::for_each_column<Row>([&]<class T>(std::string_view name, T Row::*) {
    if (!is_in_update<Row>(name)) return;
    values.add(name, sql_type_of<T>());
    if (name == owner_column<Row>()) owner = values.count();
    if (listed(RowTraits<Row>::key, name))
      where += fmt::format("{}t.{} = v.{}", where.empty() ? "" : " AND ", name, name);
    else if (store::changes<Row>(name))
      sets += fmt::format("{}{} = v.{}", sets.empty() ? "" : ", ", name, name);
  });
  if constexpr (RowTraits<Row>::kind == RowKind::root) {
    values.add("base_version", SqlType::bigint);
    where += " AND t.version = v.base_version";
  }
  const std::string table(RowTraits<Row>::table);
  return {.name = "write.update." + table,
          .shards = kShardsOfRows<Row>,
          .tables = table,
          .purpose = RowTraits<Row>::kind == RowKind::root ? "rows that a batch changed, over the version it read"
                                                           : "rows that a batch changed; their root guards them",
          .text = fmt::format("UPDATE {} AS t SET {} FROM @rows WHERE {}{}", table, sets, where,
                              kDistributed<Row> ? "@of" : ""),
          .owners = kDistributed<Row> ? owners_of_joined<Row>(owner) : "",
          .rows = values.text()};
}

template <class Row>
inline const Statement kUpdate{update_declared<Row>()};

/// One array per column of `rows`.
template <class Row>
Parameters all_columns(const std::vector<const Row*>& rows) {
  Parameters parameters;
  store::for_each_column<Row>([&]<class T>(std::string_view, T Row::* member) {
    Array array(sql_type_of<T>(), rows.size());
    for (const Row* row : rows) array.add(row->*member);
    parameters.add_bytes(std::move(array).finish());
  });
  return parameters;
}

template <class Row>
Parameters update_columns(const std::vector<const Row*>& rows) {
  Parameters parameters;
  store::for_each_column<Row>([&]<class T>(std::string_view name, T Row::* member) {
    if (!is_in_update<Row>(name)) return;
    Array array(sql_type_of<T>(), rows.size());
    for (const Row* row : rows) array.add(row->*member);
    parameters.add_bytes(std::move(array).finish());
  });
  return parameters;
}

template <class Row>
std::vector<Row> rows_of(const Reply& reply) {
  std::vector<Row> rows;
  rows.reserve(static_cast<std::size_t>(reply.rows()));
  for (int i = 0; i < reply.rows(); ++i) rows.push_back(reply.row(i).read_row<Row>());
  return rows;
}

}  // namespace finality::postgres
