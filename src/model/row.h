// How a row type is kept: its table, its key, and what guards its changes. One column list per row type serves both
// stores: the members named by BOOST_DESCRIBE_STRUCT, in that order.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace finality {

enum class RowKind : std::uint8_t {
  root,   // has a version; a change is written only over the version it was decided on
  child,  // belongs to a root, whose version guards it
  log,    // written once, never changed
};

/// Specialised per row type:
///   table   its name in the store
///   kind    see RowKind
///   key     the columns of its primary key
///   fixed   further columns that never change after the row was made
template <class Row>
struct RowTraits;

#define FINALITY_ROW(Row, table_, kind_, key_, fixed_) \
  template <>                                          \
  struct RowTraits<Row> {                              \
    static constexpr std::string_view table = table_;  \
    static constexpr RowKind kind = RowKind::kind_;    \
    static constexpr std::string_view key = key_;      \
    static constexpr std::string_view fixed = fixed_;  \
  };

/// Whether `name` stands in the space-separated `list`.
constexpr bool listed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == name) return true;
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return false;
}

}  // namespace finality
