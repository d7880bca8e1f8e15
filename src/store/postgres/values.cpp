#include "store/postgres/values.h"

#include "base/crypto/encoding.h"

namespace finality::postgres {
namespace {

// Object ids of the types in PostgreSQL's catalog (pg_type.dat). They are the same in all versions.
constexpr std::uint32_t object_id_of(SqlType type) {
  constexpr std::uint32_t ids[] = {20, 25, 17};
  return ids[static_cast<std::size_t>(type)];
}

constexpr std::size_t kHeadBytes = 20;  // header of an array: dimensions, null flag, element type, length, lower bound

}  // namespace

bool is_storable(std::string_view text) { return !text.contains('\0') && is_utf8(text); }

std::string storable(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    std::size_t length = 1;
    while (length < 4 && length < text.size() && !is_utf8(text.substr(0, length))) ++length;
    const std::string_view letter = text.substr(0, length);
    const bool fits = letter != std::string_view("\0", 1) && is_utf8(letter);
    kept += fits ? letter : "\xEF\xBF\xBD";
    text.remove_prefix(fits ? length : 1);
  }
  return kept;
}

void encode(std::string& out, std::string_view value) {
  if (is_storable(value))
    out += value;
  else
    out += storable(value);
}

void encode(std::string& out, const store::ValueType& type, const void* value) {
  store::visit_value(type, value, [&out]<class T>(const T& one) {
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool>)
      encode_number(out, static_cast<std::uint64_t>(one));
    else if constexpr (std::is_same_v<T, Hash16>)
      out.append(reinterpret_cast<const char*>(one.data()), one.size());
    else if constexpr (std::is_same_v<T, Bytes>)
      out += one.data();
    else if constexpr (std::is_same_v<T, Currency>)
      out += one.text();
    else if constexpr (std::is_same_v<T, Secret>)
      encode(out, std::string_view(one.reveal()));
    else if constexpr (std::is_same_v<T, std::string>)
      encode(out, std::string_view(one));
    else
      out += one;  // an enumerator is stored as its name
  });
}

Array::Array(SqlType element, std::size_t count) {
  bytes_.reserve(kHeadBytes + count * (sizeof(std::uint32_t) + sizeof(std::uint64_t)));
  for (const std::uint32_t word : {1U, 0U, object_id_of(element), 0U, 1U}) encode_number(bytes_, word);
}

void Array::add_null() {
  encode_number(bytes_, ~std::uint32_t{0});
  ++count_;
  has_null_ = true;
}

void Array::put_at(std::size_t place, std::size_t number) {
  const auto swapped = std::byteswap(static_cast<std::uint32_t>(number));
  __builtin_memcpy(bytes_.data() + place, &swapped, sizeof swapped);
}

void Array::add_text(std::string_view value) {
  const std::size_t head = bytes_.size();
  bytes_.append(4, '\0');
  encode(bytes_, value);
  put_at(head, bytes_.size() - head - 4);
  ++count_;
}

void Array::add_value(const store::ValueType& type, const void* value) {
  if (type.is_optional()) value = type.get(value);
  if (value == nullptr) return add_null();
  const std::size_t head = bytes_.size();
  bytes_.append(4, '\0');
  encode(bytes_, type, value);
  put_at(head, bytes_.size() - head - 4);
  ++count_;
}

std::string Array::finish() && {
  put_at(4, has_null_ ? 1 : 0);
  put_at(12, count_);
  if (count_ == 0) {  // the header of an empty array has no length and lower bound
    put_at(0, 0);
    bytes_.resize(kHeadBytes - 8);
  }
  return std::move(bytes_);
}

Parameters& Parameters::add_text(std::string_view value) {
  std::string bytes;
  encode(bytes, value);
  return add_bytes(std::move(bytes));
}

Parameters& Parameters::add_value(const store::ValueType& type, const void* value) {
  if (type.is_optional()) value = type.get(value);
  if (value == nullptr) return add_bytes(std::nullopt);
  std::string bytes;
  encode(bytes, type, value);
  return add_bytes(std::move(bytes));
}

namespace {

/// A field of a result. Has the members that read_value() (store/sql/columns.h) requires of a source.
struct Source {
  const PGresult* result;
  int row;
  int column;

  bool is_null() const { return PQgetisnull(result, row, column) == 1; }
  std::string_view bytes() const {
    return {PQgetvalue(result, row, column), static_cast<std::size_t>(PQgetlength(result, row, column))};
  }
  std::int64_t number() const {
    const std::string_view data = bytes();
    FINALITY_CHECK(data.size() == 8, "a result column is not a bigint");
    std::uint64_t value = 0;
    for (const char byte : data) value = value << 8 | static_cast<unsigned char>(byte);
    return static_cast<std::int64_t>(value);
  }
};

}  // namespace

void Cursor::read_value(const store::ValueType& type, void* value) {
  FINALITY_CHECK(store::read_value(type, value, Source{result_, row_, column_++}), "a result column has another type");
}

Result<void> Cursor::read_row(const store::RowType& type, void* row) const {
  return store::read_row(type, row, [this](int column) { return Source{result_, row_, column_ + column}; });
}

}  // namespace finality::postgres
