// Rows as columns: one list per row type, taken from its description, for reading and for SQL.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <string>
#include <string_view>

#include "model/row.h"

namespace finality::store {

template <class Row>
using ColumnList = boost::describe::describe_members<Row, boost::describe::mod_public>;

/// Calls visit(name, pointer to member) for each column, in order.
template <class Row, class Visit>
void for_each_column(Visit visit) {
  boost::mp11::mp_for_each<ColumnList<Row>>([&](auto column) { visit(std::string_view(column.name), column.pointer); });
}

template <class Row>
bool same_row(const Row& one, const Row& other) {
  bool same = true;
  for_each_column<Row>([&](std::string_view, auto member) { same = same && one.*member == other.*member; });
  return same;
}

/// Whether an update has to write the column.
template <class Row>
constexpr bool changes(std::string_view column) {
  return !listed(RowTraits<Row>::key, column) && !listed(RowTraits<Row>::fixed, column);
}

/// The same for the columns that an update has to write, and for those of the primary key. Sorted out by the compiler:
/// this runs for every row that is written.
template <class Row, class Visit>
void for_each_changing_column(Visit visit) {
  boost::mp11::mp_for_each<ColumnList<Row>>([&](auto column) {
    if constexpr (changes<Row>(decltype(column)::name)) visit(std::string_view(column.name), column.pointer);
  });
}
template <class Row, class Visit>
void for_each_key_column(Visit visit) {
  boost::mp11::mp_for_each<ColumnList<Row>>([&](auto column) {
    if constexpr (listed(RowTraits<Row>::key, decltype(column)::name))
      visit(std::string_view(column.name), column.pointer);
  });
}

/// "id, order_id, …"
template <class Row>
std::string column_names() {
  std::string names;
  for_each_column<Row>([&](std::string_view name, auto) {
    if (!names.empty()) names += ", ";
    names += name;
  });
  return names;
}

}  // namespace finality::store
