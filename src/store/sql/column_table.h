// Columns of a row type as a constant: the source of kRowTypes (store/sql/columns.h), and for checks at compile time.
// Every source that includes this file compiles functions for every column, so use row_type<Row>() otherwise.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <array>

#include "store/sql/columns.h"

namespace finality::store {

template <class Row>
inline constexpr auto kColumns = [] {
  std::array<Column, boost::mp11::mp_size<ColumnList<Row>>::value> columns;
  std::size_t next = 0;
  boost::mp11::mp_for_each<ColumnList<Row>>([&]<class D>(D) {
    using T = std::remove_cvref_t<decltype(std::declval<Row>().*D::pointer)>;
    columns[next++] = {D::name, &kValueType<T>,
                       [](const void* row) -> const void* { return &(static_cast<const Row*>(row)->*D::pointer); },
                       listed(RowTraits<Row>::key, D::name), changes<Row>(D::name)};
  });
  return columns;
}();

}  // namespace finality::store
