// Column descriptions of the row types, generated from the types' members. With the descriptions, stores read, write
// and compare rows of any type. This code is compiled once per kind of value instead of once per row type.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"
#include "base/crypto/crypto.h"
#include "base/described.h"
#include "base/money.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"
#include "model/row_types.h"

namespace finality::store {

/// Storage representation of a value. Ids and times are stored as numbers, booleans as flags, enumerators as names.
enum class ValueKind : std::uint8_t { number, flag, text, secret, currency, hash, bytes, name };
BOOST_DESCRIBE_ENUM(ValueKind, number, flag, text, secret, currency, hash, bytes, name)

/// Type-erased functions for the values of one C++ type that a column can have.
struct ValueType {
  ValueKind kind;
  std::span<const std::string_view> names;  // for enums only: the enumerators' names, indexed by value
  bool (*same)(const void* one, const void* other);
  const void* (*get)(const void* optional) = nullptr;  // for optionals only: returns the value, or null if empty
  void* (*emplace)(void* optional) = nullptr;
  void (*reset)(void* optional) = nullptr;

  bool is_optional() const { return get != nullptr; }
};

template <class T>
inline constexpr bool kOptional = false;
template <class T>
inline constexpr bool kOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kId = false;
template <ObjectType kType>
inline constexpr bool kId<Id<kType>> = true;

template <class T>
constexpr ValueKind kind_of_value() {
  if constexpr (kOptional<T>) {
    return kind_of_value<typename T::value_type>();
  } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, Time> || kId<T>) {
    // An id or a time has a single member, an std::int64_t, so its address is also the address of the number.
    static_assert(sizeof(T) == sizeof(std::int64_t) && std::is_standard_layout_v<T>);
    return ValueKind::number;
  } else if constexpr (std::is_same_v<T, bool>) {
    return ValueKind::flag;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return ValueKind::text;
  } else if constexpr (std::is_same_v<T, Secret>) {
    return ValueKind::secret;
  } else if constexpr (std::is_same_v<T, Currency>) {
    return ValueKind::currency;
  } else if constexpr (std::is_same_v<T, Hash16>) {
    return ValueKind::hash;
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return ValueKind::bytes;
  } else {
    static_assert(DescribedEnum<T> && sizeof(T) == sizeof(std::uint8_t), "unsupported column type");
    return ValueKind::name;
  }
}

template <class T>
constexpr ValueType value_type_of() {
  ValueType type{.kind = kind_of_value<T>(), .names = {}, .same = [](const void* one, const void* other) {
                   return *static_cast<const T*>(one) == *static_cast<const T*>(other);
                 }};
  if constexpr (kOptional<T>) {
    type.names = value_type_of<typename T::value_type>().names;
    type.get = [](const void* optional) -> const void* {
      const T& value = *static_cast<const T*>(optional);
      return value ? &*value : nullptr;
    };
    type.emplace = [](void* optional) -> void* { return &static_cast<T*>(optional)->emplace(); };
    type.reset = [](void* optional) { static_cast<T*>(optional)->reset(); };
  } else if constexpr (kind_of_value<T>() == ValueKind::name) {
    type.names = kNames<T>;
  }
  return type;
}
template <class T>
inline constexpr ValueType kValueType = value_type_of<T>();

/// Calls visit(value) with the value as std::int64_t, bool, std::string, Secret, Currency, Hash16, Bytes, or the name
/// of an enumerator as std::string_view. REQUIRES: `value` does not point to an optional.
template <class Visit>
decltype(auto) visit_value(const ValueType& type, const void* value, Visit visit) {
  switch (type.kind) {
    case ValueKind::number:
      return visit(*static_cast<const std::int64_t*>(value));
    case ValueKind::flag:
      return visit(*static_cast<const bool*>(value));
    case ValueKind::text:
      return visit(*static_cast<const std::string*>(value));
    case ValueKind::secret:
      return visit(*static_cast<const Secret*>(value));
    case ValueKind::currency:
      return visit(*static_cast<const Currency*>(value));
    case ValueKind::hash:
      return visit(*static_cast<const Hash16*>(value));
    case ValueKind::bytes:
      return visit(*static_cast<const Bytes*>(value));
    case ValueKind::name:
      break;
  }
  return visit(type.names[*static_cast<const std::uint8_t*>(value)]);
}

/// Reads a stored value into `value`, which `type` describes. Source must have is_null(), number() and bytes(). Returns
/// false if the stored bytes are not a valid value of the type.
template <class Source>
[[nodiscard]] bool read_value(const ValueType& type, void* value, const Source& source) {
  if (type.is_optional()) {
    if (source.is_null()) {
      type.reset(value);
      return true;
    }
    value = type.emplace(value);
  }
  if (type.kind == ValueKind::number) {
    *static_cast<std::int64_t*>(value) = source.number();
    return true;
  }
  if (type.kind == ValueKind::flag) {
    *static_cast<bool*>(value) = source.number() != 0;
    return true;
  }
  const std::string_view bytes = source.bytes();
  switch (type.kind) {
    case ValueKind::text:
      static_cast<std::string*>(value)->assign(bytes);
      return true;
    case ValueKind::secret:
      *static_cast<Secret*>(value) = Secret(std::string(bytes));
      return true;
    case ValueKind::currency:
      if (bytes.size() != 3) return false;
      *static_cast<Currency*>(value) = Currency{{bytes[0], bytes[1], bytes[2]}};
      return true;
    case ValueKind::hash:
      if (bytes.size() != sizeof(Hash16)) return false;
      __builtin_memcpy(value, bytes.data(), bytes.size());
      return true;
    case ValueKind::bytes:
      *static_cast<Bytes*>(value) = Bytes(std::string(bytes));
      return true;
    default:
      break;
  }
  const auto at = std::ranges::find(type.names, bytes);
  if (at == type.names.end()) return false;
  *static_cast<std::uint8_t*>(value) = static_cast<std::uint8_t>(at - type.names.begin());
  return true;
}

/// One column of a row type.
struct Column {
  std::string_view name;
  const ValueType* type;
  const void* (*address)(const void* row);
  bool is_key;   // part of the primary key
  bool changes;  // mutable: written by updates

  const void* in(const void* row) const { return address(row); }
  void* in(void* row) const { return const_cast<void*>(address(row)); }
};

/// Type-erased description of a row type.
struct RowType {
  std::string_view table;
  RowKind kind;
  std::span<const Column> columns;  // in the order of the row type's members
};

/// Returns the error for a column with an invalid stored value. The message names the table, the column, and the row's
/// id if it was read. For an enumeration it quotes the unknown value and lists the allowed values; other values may be
/// secret and are never quoted.
Error unreadable(const RowType& type, const Column& column, const void* row, std::string_view stored);

/// Reads all columns into `row`. source_of(n) returns the source of column n, counted from 0. After an error, only
/// earlier columns of `row` are set.
template <class SourceOf>
Result<void> read_row(const RowType& type, void* row, SourceOf source_of) {
  int place = 0;
  for (const Column& column : type.columns) {
    const auto source = source_of(place++);
    if (!read_value(*column.type, column.in(row), source)) [[unlikely]]
      return std::unexpected(unreadable(type, column, row, source.bytes()));
  }
  return {};
}

template <class Row>
using ColumnList = boost::describe::describe_members<Row, boost::describe::mod_public>;

/// Whether an update of a row writes the column: false for key columns and immutable columns.
template <class Row>
constexpr bool changes(std::string_view column) {
  return !listed(RowTraits<Row>::key, column) && !listed(RowTraits<Row>::fixed, column);
}

/// Whether rows of the type are updated. False for a log, and for a child of which every column is immutable.
template <class Row>
inline constexpr bool kIsUpdated = RowTraits<Row>::kind != RowKind::log && []<class... D>(boost::mp11::mp_list<D...>) {
  return (changes<Row>(D::name) || ...);
}(boost::mp11::mp_rename<ColumnList<Row>, boost::mp11::mp_list>());

/// The descriptions of all row types, in the order of DescribedRows. Compiled once, with the functions of every column.
extern const std::array<RowType, boost::mp11::mp_size<DescribedRows>::value> kRowTypes;

template <class Row>
const RowType& row_type() {
  static_assert(boost::mp11::mp_contains<DescribedRows, Row>::value);
  return kRowTypes[boost::mp11::mp_find<DescribedRows, Row>::value];
}

/// Calls visit(name, pointer to member) for each column, in order. For tests, because it is compiled per row type.
template <class Row, class Visit>
void for_each_column(Visit visit) {
  boost::mp11::mp_for_each<ColumnList<Row>>([&](auto column) { visit(std::string_view(column.name), column.pointer); });
}

/// Whether two rows of the type are equal in all columns.
bool same_row(const RowType& type, const void* one, const void* other);
template <class Row>
bool same_row(const Row& one, const Row& other) {
  return same_row(row_type<Row>(), &one, &other);
}

/// Returns the names of all columns for an SQL statement: "id, order_id, …".
std::string column_names(const RowType& type);
template <class Row>
std::string column_names() {
  return column_names(row_type<Row>());
}

}  // namespace finality::store
