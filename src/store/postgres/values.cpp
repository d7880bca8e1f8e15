#include "store/postgres/values.h"

#include "base/encoding.h"

namespace finality::postgres {
namespace {

// Fixed by PostgreSQL's catalogue (pg_type.dat).
constexpr std::uint32_t object_id_of(SqlType type) {
  constexpr std::uint32_t ids[] = {20, 25, 17};
  return ids[static_cast<std::size_t>(type)];
}

constexpr std::size_t kHeadBytes = 20;  // dimensions, nulls, element type, length, lower bound

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

Array::Array(SqlType element, std::size_t count) {
  bytes_.reserve(kHeadBytes + count * (sizeof(std::uint32_t) + sizeof(std::uint64_t)));
  for (const std::uint32_t word : {1U, 0U, object_id_of(element), 0U, 1U}) encode_number(bytes_, word);
}

void Array::add_null() {
  encode_number(bytes_, ~std::uint32_t{0});
  ++count_;
  has_null_ = true;
}

std::string Array::finish() && {
  put_at(4, has_null_ ? 1 : 0);
  put_at(12, count_);
  if (count_ == 0) {  // an empty array has no dimension
    put_at(0, 0);
    bytes_.resize(kHeadBytes - 8);
  }
  return std::move(bytes_);
}

std::int64_t Cursor::number(int column) const {
  const std::string_view data = bytes(column);
  FINALITY_CHECK(data.size() == 8, "a number that is no bigint");
  std::uint64_t value = 0;
  for (const char byte : data) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

void Cursor::get(int column, Currency& value) {
  const std::string_view code = bytes(column);
  FINALITY_CHECK(code.size() == 3, "a stored currency without three letters");
  value = Currency{{code[0], code[1], code[2]}};
}

void Cursor::get(int column, Hash16& value) {
  const std::string_view data = bytes(column);
  FINALITY_CHECK(data.size() == value.size(), "a stored hash cut short");
  __builtin_memcpy(value.data(), data.data(), value.size());
}

}  // namespace finality::postgres
