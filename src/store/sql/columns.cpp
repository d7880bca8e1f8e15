#include "store/sql/columns.h"

#include <algorithm>

namespace finality::store {

bool same_row(const RowType& type, const void* one, const void* other) {
  return std::ranges::all_of(type.columns,
                             [&](const Column& column) { return column.type->same(column.in(one), column.in(other)); });
}

std::string column_names(const RowType& type) {
  std::string names;
  for (const Column& column : type.columns) {
    if (!names.empty()) names += ", ";
    names += column.name;
  }
  return names;
}

}  // namespace finality::store
