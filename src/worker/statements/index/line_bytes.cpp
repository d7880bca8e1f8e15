#include "worker/statements/index/line_bytes.h"

#include <utility>

#include "base/described.h"

namespace finality {
namespace {

constexpr int kBits = 7;
constexpr std::uint64_t kMore = 1U << kBits;
constexpr int kShiftMax = 63;

Currency currency_of(std::string_view code) {
  Currency currency;
  if (code.size() == currency.code.size()) code.copy(currency.code.data(), currency.code.size());
  return currency;
}

// Enumerators are stored by name, so that a stored index remains readable when their order changes.
template <class Enum>
Enum enum_of(std::string_view name, bool& is_known) {
  const auto found = parse_enum<Enum>(name);
  is_known = is_known && found.has_value();
  return found.value_or(Enum{});
}

}  // namespace

void ByteWriter::put(std::uint64_t value) {
  for (; value >= kMore; value >>= kBits) bytes_ += static_cast<char>(value | kMore);
  bytes_ += static_cast<char>(value);
}

void ByteWriter::put_signed(std::int64_t value) {
  put((static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> kShiftMax));
}

void ByteWriter::put(std::string_view text) {
  put(static_cast<std::uint64_t>(text.size()));
  bytes_ += text;
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift <= kShiftMax && !rest_.empty(); shift += kBits) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= (byte & (kMore - 1)) << static_cast<unsigned>(shift);
    if (byte < kMore) return value;
  }
  is_valid_ = false;
  rest_ = {};
  return 0;
}

std::int64_t ByteReader::signed_number() {
  const std::uint64_t value = number();
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

std::string_view ByteReader::text() {
  const std::uint64_t size = number();
  if (size > rest_.size()) {
    is_valid_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

void put_line(ByteWriter& writer, const IndexedLine& indexed) {
  const StatementLine& line = indexed.line;
  writer.put_signed(indexed.ordinal);
  writer.put_signed(line.line_no);
  writer.put(name_of(line.kind));
  writer.put(name_of(line.status));
  for (const std::string* text : {&line.line_id, &line.channel_trade_no, &line.out_trade_no, &line.channel_refund_no,
                                  &line.out_refund_no, &line.text})
    writer.put(*text);
  writer.put(line.currency.text());
  for (const std::int64_t number : {line.amount, line.discount, line.fee_e5, line.at.ms}) writer.put_signed(number);
  writer.put(static_cast<std::uint64_t>(line.balance.has_value()));
  if (line.balance) writer.put_signed(*line.balance);
}

Result<std::vector<IndexedLine>> lines_of(std::string_view bytes) {
  std::vector<IndexedLine> lines;
  ByteReader reader(bytes);
  bool is_known = true;
  while (!reader.at_end() && is_known) {
    IndexedLine& indexed = lines.emplace_back();
    StatementLine& line = indexed.line;
    indexed.ordinal = reader.signed_number();
    line.line_no = reader.signed_number();
    line.kind = enum_of<LineKind>(reader.text(), is_known);
    line.status = enum_of<LineStatus>(reader.text(), is_known);
    for (std::string* text : {&line.line_id, &line.channel_trade_no, &line.out_trade_no, &line.channel_refund_no,
                              &line.out_refund_no, &line.text})
      *text = reader.text();
    line.currency = currency_of(reader.text());
    for (std::int64_t* number : {&line.amount, &line.discount, &line.fee_e5, &line.at.ms})
      *number = reader.signed_number();
    if (reader.number() != 0) line.balance = reader.signed_number();
  }
  if (!reader.is_valid() || !is_known) return fail("the index of the lines is damaged");
  return lines;
}

}  // namespace finality
