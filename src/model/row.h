// Storage description of row types, which all stores use. FINALITY_ROW states the table, the primary key, the
// concurrency control and further options of a row type. Its columns are the members in BOOST_DESCRIBE_STRUCT, in that
// order. model/aggregate.h groups the rows that are loaded and written together.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace finality {

enum class RowKind : std::uint8_t {
  root,   // has a version; a commit fails if the stored version is not the version that was read
  child,  // belongs to a root, whose version also guards this row
  log,    // inserted once, never updated
};

/// Which operations may change the `due_at` of a row.
enum class Due : std::uint8_t {
  never,  // none: the row type has no due_at
  step,   // a state transition, which also increments the version of the root
  claim,  // a state transition, or a claim: a compare-and-set of due_at that keeps the version
};

/// The column that contains the merchant who owns the row. The owner determines the shard.
enum class Owner : std::uint8_t {
  merchant,  // column merchant_id
  self,      // column id: the row is a merchant
  none,      // no owner, or rows are looked up without the owner: each shard has all rows
};

/// Optional properties of a row type.
struct RowOptions {
  std::string_view about;   // description of one row, for docs/reference/schema.md
  std::string_view parent;  // child loaded with its root: column with the id of the root
  std::string_view guard;   // child loaded alone: column with the id of the root whose version guards the row
  Due due = Due::never;
  Owner owner = Owner::merchant;
  std::string_view filter;  // SQL condition for the rows that a merchant's list contains; empty: all rows
  int presence = -1;        // child with a parent: its bit in the root's `children`, unique within the aggregate
  bool is_usual = false;    // child with a parent: most roots have such a row, so stores read it with the root
};

/// Storage description of a row type. FINALITY_ROW defines the specialisation for each row type:
///   table    name of the table
///   kind     see RowKind
///   key      columns of the primary key
///   fixed    further columns that are never updated
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

/// The bit that represents a child type in the `children` column of its root.
template <StoredRow Row>
inline constexpr std::int64_t kPresence = [] {
  static_assert(RowTraits<Row>::options.presence >= 0, "a child type needs a bit");
  return std::int64_t{1} << RowTraits<Row>::options.presence;
}();

/// Returns whether the space-separated `list` contains `name`.
constexpr bool listed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    if (list.substr(0, end) == name) return true;
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return false;
}

}  // namespace finality
