// Storage description of a row type: its table, its key, its concurrency control and further options for stores. All
// stores use the same description: FINALITY_ROW, and the members in BOOST_DESCRIBE_STRUCT, which are the columns in
// that order. Rows that are loaded and written together: model/aggregate.h, model/working_set.h.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace finality {

enum class RowKind : std::uint8_t {
  root,   // has a version; a commit updates it only from the version that was read
  child,  // part of a root's aggregate, guarded by the root's version
  log,    // written once, never changed
};

/// How a row's `due_at` changes.
enum class Due : std::uint8_t {
  never,  // the row type has no due_at
  step,   // only with a step, so with a new version of its root
  claim,  // also by a claim, which compares and sets due_at without a new version
};

/// The column that names the owner, by which rows are distributed over shards.
enum class Owner : std::uint8_t {
  merchant,  // merchant_id
  self,      // id: the row is a merchant
  none,      // no owner, or looked up without it: every shard has the whole table
};

/// Options of a row type beyond its table and key.
struct RowOptions {
  std::string_view about;   // describes one row, for docs/reference/schema.md
  std::string_view parent;  // of a child that is loaded with its root: the column that names the root
  std::string_view guard;   // of a child that is loaded alone: the column that names the root whose version guards it
  Due due = Due::never;
  Owner owner = Owner::merchant;
  std::string_view filter;  // SQL condition on the rows of a merchant's list to load; empty: all rows
  int presence = -1;        // of a child with a parent: its bit in the root's `children`, unique within the aggregate
  bool is_usual = false;    // of a child with a parent: most roots have one, so stores read it together with the root
};

/// Specialised per row type:
///   table    its table in the store
///   kind     see RowKind
///   key      the columns of its primary key
///   fixed    further columns that never change after the row is created
///   options  see RowOptions
template <class Row>
struct RowTraits;

#define FINALITY_ROW(Row, table_, kind_, key_, fixed_, ...) \
  template <>                                               \
  struct RowTraits<Row> {                                   \
    static constexpr std::string_view table = table_;       \
    static constexpr RowKind kind = RowKind::kind_;         \
    static constexpr std::string_view key = key_;           \
    static constexpr std::string_view fixed = fixed_;       \
    static constexpr RowOptions options{__VA_ARGS__};       \
  };

template <class T>
concept StoredRow = requires { RowTraits<T>::kind; };

/// The bit of a child type in its root's `children`.
template <StoredRow Row>
inline constexpr std::int64_t kPresence = [] {
  static_assert(RowTraits<Row>::options.presence >= 0, "a child type needs a bit");
  return std::int64_t{1} << RowTraits<Row>::options.presence;
}();

/// Whether the space-separated `list` contains `name`.
constexpr bool listed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == name) return true;
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return false;
}

}  // namespace finality
