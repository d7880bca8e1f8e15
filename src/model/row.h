// How a row type is kept: its table, its key, what guards its changes, and what stores have to know beyond that. One
// description per row type serves every store: FINALITY_ROW, and the members named by BOOST_DESCRIBE_STRUCT, which are
// its columns in that order. Which rows are loaded and written together: model/aggregate.h, model/working_set.h.
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

/// How the instant moves at which a row is due, its due_at.
enum class Due : std::uint8_t {
  never,  // it has none
  step,   // with a step, so with its root's version
  claim,  // also by a claim, which compares and sets due_at without a new version
};

/// Which column tells the owner, by which the rows are spread over shards.
enum class Owner : std::uint8_t {
  merchant,  // merchant_id
  self,      // id: it is a merchant
  none,      // it may have none, and is looked up without it: the table is whole on every shard
};

/// What a row type needs beyond its table and key.
struct RowOptions {
  std::string_view about;   // what one row is: for the schema's page
  std::string_view parent;  // of a child that is loaded with its root: the column that names the root
  std::string_view guard;   // of a child that is loaded alone: the column that names the root whose version guards it
  Due due = Due::never;
  Owner owner = Owner::merchant;
  std::string_view filter;  // SQL: which rows of a merchant's list are loaded; empty: all
  int presence = -1;        // of a child with a parent: its bit in the root's `children`, which no other type may take
  bool is_usual = false;    // of a child with a parent: most roots have one, so it is worth reading together with them
};

/// Specialised per row type:
///   table    its name in the store
///   kind     see RowKind
///   key      the columns of its primary key
///   fixed    further columns that never change after the row was made
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
