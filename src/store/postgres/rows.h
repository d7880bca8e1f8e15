// Statements by row type, made from its column list: set-wise insert and update, select. A statement takes one array
// per column, so that one of it writes any number of rows.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "model/row.h"
#include "store/columns.h"
#include "store/postgres/connection.h"

namespace finality::postgres {

/// `SELECT columns FROM table` and `rest`.
template <class Row>
std::string select_sql(std::string_view rest) {
  return fmt::format("SELECT {} FROM {} {}", store::column_names<Row>(), RowTraits<Row>::table, rest);
}

/// "unnest($1::bigint[], …) AS v(id, …)": the parameters as a table, a column for each.
class ParameterTable {
 public:
  void add(std::string_view column, SqlType type) {
    arrays_ += fmt::format("{}${}::{}[]", count_ == 0 ? "" : ", ", count_ + 1, sql_name(type));
    names_ += fmt::format("{}{}", count_ == 0 ? "" : ", ", column);
    ++count_;
  }
  std::string text() const { return fmt::format("unnest({}) AS v({})", arrays_, names_); }

 private:
  std::string arrays_;
  std::string names_;
  int count_ = 0;
};

template <class Row>
const std::string& insert_sql() {
  static const std::string sql = [] {
    ParameterTable values;
    store::for_each_column<Row>([&]<class T>(std::string_view name, T Row::*) { values.add(name, sql_type_of<T>()); });
    const std::string columns = store::column_names<Row>();
    return fmt::format("INSERT INTO {} ({}) SELECT {} FROM {} ON CONFLICT DO NOTHING", RowTraits<Row>::table, columns,
                       columns, values.text());
  }();
  return sql;
}

/// Whether an update has to be told the column: to find the row, or to write it.
template <class Row>
constexpr bool is_in_update(std::string_view column) {
  return listed(RowTraits<Row>::key, column) || store::changes<Row>(column);
}

/// Sets what can change, of the rows with these keys; of a root only over the version it was decided on.
template <class Row>
const std::string& update_sql() {
  static const std::string sql = [] {
    ParameterTable values;
    std::string sets;
    std::string where;
    store::for_each_column<Row>([&]<class T>(std::string_view name, T Row::*) {
      if (!is_in_update<Row>(name)) return;
      values.add(name, sql_type_of<T>());
      if (listed(RowTraits<Row>::key, name))
        where += fmt::format("{}t.{} = v.{}", where.empty() ? "" : " AND ", name, name);
      else
        sets += fmt::format("{}{} = v.{}", sets.empty() ? "" : ", ", name, name);
    });
    if constexpr (RowTraits<Row>::kind == RowKind::root) {
      values.add("base_version", SqlType::bigint);
      where += " AND t.version = v.base_version";
    }
    return fmt::format("UPDATE {} AS t SET {} FROM {} WHERE {}", RowTraits<Row>::table, sets, values.text(), where);
  }();
  return sql;
}

/// One array per column of `rows`.
template <class Row>
Parameters all_columns(const std::vector<const Row*>& rows) {
  Parameters parameters;
  store::for_each_column<Row>([&]<class T>(std::string_view, T Row::* member) {
    Array array(sql_type_of<T>());
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
    Array array(sql_type_of<T>());
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
