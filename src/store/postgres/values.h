// Values on the wire to PostgreSQL, in its binary form: numbers in network order, text and bytes as they are, arrays
// with a head that names their element. One place says which SQL type a column of a row has.
#pragma once

#include <libpq-fe.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/crypto.h"
#include "base/described.h"
#include "base/money.h"
#include "base/secret.h"
#include "base/time.h"
#include "model/ids.h"
#include "store/columns.h"

namespace finality::postgres {

enum class SqlType : std::uint8_t { bigint, text, bytea };

constexpr std::string_view sql_name(SqlType type) {
  constexpr std::string_view names[] = {"bigint", "text", "bytea"};
  return names[static_cast<std::size_t>(type)];
}

template <class T>
inline constexpr bool kOptional = false;
template <class T>
inline constexpr bool kOptional<std::optional<T>> = true;

/// The type of a column that holds T, or an optional T.
template <class T>
constexpr SqlType sql_type_of() {
  if constexpr (kOptional<T>) return sql_type_of<typename T::value_type>();
  if constexpr (std::is_same_v<T, Hash16>) return SqlType::bytea;
  if constexpr (std::is_convertible_v<T, std::string_view> || std::is_same_v<T, Currency> ||
                std::is_same_v<T, Secret> || DescribedEnum<T>)
    return SqlType::text;
  return SqlType::bigint;
}

/// Whether PostgreSQL can store the text as it is.
bool is_storable(std::string_view text);
/// Text as PostgreSQL can store it: a NUL or what is no UTF-8, which only a stranger's answer can hold, becomes U+FFFD.
std::string storable(std::string_view text);

/// In network order.
template <std::unsigned_integral Number>
void encode_number(std::string& out, Number value) {
  static_assert(std::endian::native == std::endian::little);
  const Number swapped = std::byteswap(value);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}
inline void encode(std::string& out, std::int64_t value) { encode_number(out, static_cast<std::uint64_t>(value)); }
inline void encode(std::string& out, bool value) { encode(out, std::int64_t{value}); }
inline void encode(std::string& out, Time value) { encode(out, value.ms); }
inline void encode(std::string& out, std::string_view value) {
  if (is_storable(value))
    out += value;
  else
    out += storable(value);
}
inline void encode(std::string& out, const std::string& value) { encode(out, std::string_view(value)); }
inline void encode(std::string& out, const Currency& value) { out += value.text(); }
inline void encode(std::string& out, const Secret& value) { encode(out, value.reveal()); }
inline void encode(std::string& out, const Hash16& value) {
  out.append(reinterpret_cast<const char*>(value.data()), value.size());
}
template <ObjectType kType>
void encode(std::string& out, Id<kType> value) {
  encode(out, value.value);
}
template <DescribedEnum Enum>
void encode(std::string& out, Enum value) {
  out += name_of(value);
}

/// An array with one dimension, as it is built.
class Array {
 public:
  /// There will be about `count` elements.
  Array(SqlType element, std::size_t count);

  template <class T>
  void add(const T& value) {
    if constexpr (kOptional<T>) {
      if (!value) return add_null();
      add(*value);
    } else {
      const std::size_t head = bytes_.size();
      bytes_.append(4, '\0');
      encode(bytes_, value);
      put_at(head, bytes_.size() - head - 4);
      ++count_;
    }
  }
  std::string finish() &&;

 private:
  void add_null();
  void put_at(std::size_t place, std::size_t number) {
    const auto swapped = std::byteswap(static_cast<std::uint32_t>(number));
    __builtin_memcpy(bytes_.data() + place, &swapped, sizeof swapped);
  }

  std::string bytes_;
  std::size_t count_ = 0;
  bool has_null_ = false;
};

/// A statement's parameters, $1 first.
class Parameters {
 public:
  Parameters() = default;
  template <class... T>
  explicit Parameters(const T&... values) {
    (add(values), ...);
  }

  template <class T>
  Parameters& add(const T& value) {
    if constexpr (kOptional<T>) {
      if (!value) return add_bytes(std::nullopt);
      return add(*value);
    } else {
      std::string bytes;
      encode(bytes, value);
      return add_bytes(std::move(bytes));
    }
  }
  /// All elements of a list.
  template <class T>
  Parameters& add(const std::vector<T>& list) {
    Array array(sql_type_of<T>(), list.size());
    for (const T& value : list) array.add(value);
    return add_bytes(std::move(array).finish());
  }
  Parameters& add_bytes(std::optional<std::string> bytes) {
    values_.push_back(std::move(bytes));
    return *this;
  }
  const std::vector<std::optional<std::string>>& values() const { return values_; }

 private:
  std::vector<std::optional<std::string>> values_;
};

/// Reads the columns of one result row, one after another.
class Cursor {
 public:
  Cursor(const PGresult* result, int row) : result_(result), row_(row) {}

  template <class T>
  void read(T& value) {
    get(column_++, value);
  }
  template <class T>
  T read() {
    T value{};
    read(value);
    return value;
  }
  /// A whole row, its columns in the order of its description.
  template <class Row>
  Row read_row() {
    Row row;
    store::for_each_column<Row>([&](std::string_view, auto member) { read(row.*member); });
    return row;
  }

 private:
  std::string_view bytes(int column) const {
    return {PQgetvalue(result_, row_, column), static_cast<std::size_t>(PQgetlength(result_, row_, column))};
  }
  std::int64_t number(int column) const;
  void get(int column, std::int64_t& value) { value = number(column); }
  void get(int column, bool& value) { value = number(column) != 0; }
  void get(int column, Time& value) { value.ms = number(column); }
  void get(int column, std::string& value) { value = bytes(column); }
  void get(int column, Secret& value) { value = Secret(std::string(bytes(column))); }
  void get(int column, Currency& value);
  void get(int column, Hash16& value);
  template <ObjectType kType>
  void get(int column, Id<kType>& value) {
    value.value = number(column);
  }
  template <DescribedEnum Enum>
  void get(int column, Enum& value) {
    const auto parsed = parse_enum<Enum>(bytes(column));
    FINALITY_CHECK(parsed.has_value(), "a stored word that this program does not know");
    value = *parsed;
  }
  template <class T>
  void get(int column, std::optional<T>& value) {
    if (PQgetisnull(result_, row_, column) == 1)
      value.reset();
    else
      get(column, value.emplace());
  }

  const PGresult* result_;
  int row_;
  int column_ = 0;
};

}  // namespace finality::postgres
