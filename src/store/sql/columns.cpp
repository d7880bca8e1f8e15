#include "store/sql/columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "store/sql/column_table.h"

namespace finality::store {
namespace {

template <class Row>
constexpr RowType row_type_of() {
  return {RowTraits<Row>::table, RowTraits<Row>::kind, kColumns<Row>};
}

template <class... Row>
constexpr std::array<RowType, sizeof...(Row)> row_types_of(boost::mp11::mp_list<Row...>) {
  return {row_type_of<Row>()...};
}

}  // namespace

constinit const std::array<RowType, boost::mp11::mp_size<DescribedRows>::value> kRowTypes =
    row_types_of(boost::mp11::mp_rename<DescribedRows, boost::mp11::mp_list>());

bool same_row(const RowType& type, const void* one, const void* other) {
  return std::ranges::all_of(type.columns,
                             [&](const Column& column) { return column.type->same(column.in(one), column.in(other)); });
}

Error unreadable(const RowType& type, const Column& column, const void* row, std::string_view stored) {
  constexpr std::size_t kWordShown = 64;
  const Column& first = type.columns.front();
  const bool has_id = &column != &first && first.type->kind == ValueKind::number && !first.type->is_optional();
  const std::string place = has_id ? fmt::format("{} of the row whose {} is {}", column.name, first.name,
                                                 *static_cast<const std::int64_t*>(first.in(row)))
                                   : std::string(column.name);
  const std::string value = column.type->kind == ValueKind::name
                                ? fmt::format("the unknown value \"{}\"; allowed: {}", stored.substr(0, kWordShown),
                                              fmt::join(column.type->names, ", "))
                                : fmt::format("a value that is not a {}", name_of(column.type->kind));
  return {fmt::format("{}.{} holds {}. Correct the row, or use the Finality version that wrote it.", type.table, place,
                      value)};
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
