// Encodes parameters and decodes results in PostgreSQL's binary format: numbers in network byte order, text and bytes
// unchanged, arrays with a header that contains the element type. Maps C++ types to SQL types.
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
#include "base/crypto/crypto.h"
#include "base/described.h"
#include "base/money.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "store/sql/columns.h"

namespace finality::postgres {

enum class SqlType : std::uint8_t { bigint, text, bytea };

constexpr std::string_view sql_name(SqlType type) {
  constexpr std::string_view names[] = {"bigint", "text", "bytea"};
  return names[static_cast<std::size_t>(type)];
}

constexpr SqlType sql_type_of(store::ValueKind kind) {
  if (kind == store::ValueKind::number || kind == store::ValueKind::flag) return SqlType::bigint;
  const bool is_bytes = kind == store::ValueKind::hash || kind == store::ValueKind::bytes;
  return is_bytes ? SqlType::bytea : SqlType::text;
}
/// Returns the SQL type of a parameter or column of C++ type T. T may be an optional.
template <class T>
constexpr SqlType sql_type_of() {
  if constexpr (std::is_convertible_v<T, std::string_view>)
    return SqlType::text;
  else
    return sql_type_of(store::kind_of_value<T>());
}

/// Whether PostgreSQL can store the text unchanged: it is valid UTF-8 without NUL.
bool is_storable(std::string_view text);
/// Replaces NUL and invalid UTF-8, which PostgreSQL cannot store, with U+FFFD. Only text from replies of channels and
/// webhook endpoints can contain them.
std::string storable(std::string_view text);

/// Appends the number to `out` in network byte order.
template <std::unsigned_integral Number>
void encode_number(std::string& out, Number value) {
  static_assert(std::endian::native == std::endian::little);
  const Number swapped = std::byteswap(value);
  out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}
void encode(std::string& out, std::string_view value);
/// Appends a value that `type` describes to `out`. REQUIRES: `value` does not point to an optional.
void encode(std::string& out, const store::ValueType& type, const void* value);

/// Builds a one-dimensional array in the binary format.
class Array {
 public:
  /// Creates an empty array with elements of type `element`, and reserves memory for about `count` elements.
  Array(SqlType element, std::size_t count);

  template <class T>
  void add(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      add_text(value);
    else
      add_value(store::kValueType<T>, &value);
  }
  /// Adds an element, a value that `type` describes. An empty optional becomes NULL.
  void add_value(const store::ValueType& type, const void* value);
  std::string finish() &&;

 private:
  void add_text(std::string_view value);
  void add_null();
  void put_at(std::size_t place, std::size_t number);

  std::string bytes_;
  std::size_t count_ = 0;
  bool has_null_ = false;
};

/// The parameters of a statement, in the order $1, $2, …
class Parameters {
 public:
  Parameters() = default;
  template <class... T>
  explicit Parameters(const T&... values) {
    (add(values), ...);
  }

  template <class T>
  Parameters& add(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>)
      return add_text(value);
    else
      return add_value(store::kValueType<T>, &value);
  }
  /// Adds a list as one parameter, an array.
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
  Parameters& add_text(std::string_view value);
  Parameters& add_value(const store::ValueType& type, const void* value);

  std::vector<std::optional<std::string>> values_;
};

/// Reads the columns of a result row from first to last.
class Cursor {
 public:
  Cursor(const PGresult* result, int row) : result_(result), row_(row) {}

  /// Reads the next column. REQUIRES: the column has the SQL type of T.
  template <class T>
  void read(T& value) {
    static_assert(store::kind_of_value<T>() != store::ValueKind::name, "a stored word may be unknown: use read_row()");
    read_value(store::kValueType<T>, &value);
  }
  template <class T>
  T read() {
    T value{};
    read(value);
    return value;
  }
  /// Reads all columns into `row`. REQUIRES: the result has the columns of `type` in the order of its description.
  Result<void> read_row(const store::RowType& type, void* row) const;

 private:
  void read_value(const store::ValueType& type, void* value);

  const PGresult* result_;
  int row_;
  int column_ = 0;
};

}  // namespace finality::postgres
