#include "model/out_trade_no.h"

namespace finality {
namespace {

// Removes a positive number without leading zeros from the beginning of `text`. Returns empty if there is none.
std::optional<std::int64_t> take_ordinal(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || text.starts_with('0') || text.starts_with('-')) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Parses the base and the ordinal after `letter`; `rest` is the text after them.
std::optional<OrdinalNo> parse(std::string_view text, char letter, std::string_view& rest) {
  const auto base = parse_out_trade_no(text.substr(0, 26));
  if (!base || text.size() < 28 || text[26] != letter) return std::nullopt;
  rest = text.substr(27);
  const auto ordinal = take_ordinal(rest);
  if (!ordinal) return std::nullopt;
  return OrdinalNo{base->merchant_id, OrderId{base->payment_id.value}, *ordinal};
}

}  // namespace

std::optional<OrdinalNo> parse_out_authorization_no(std::string_view text) {
  std::string_view rest;
  auto number = parse(text, 'a', rest);
  if (!number || rest.empty()) return number;
  if (!rest.starts_with('r')) return std::nullopt;
  rest.remove_prefix(1);
  const auto attempt = take_ordinal(rest);
  if (!attempt || !rest.empty()) return std::nullopt;
  number->release = *attempt;
  return number;
}

std::optional<OrdinalNo> parse_out_capture_no(std::string_view text) {
  std::string_view rest;
  const auto number = parse(text, 'c', rest);
  return rest.empty() ? number : std::nullopt;
}

std::optional<OrdinalNo> parse_ordinal_no(std::string_view text) {
  const auto authorization = parse_out_authorization_no(text);
  return authorization ? authorization : parse_out_capture_no(text);
}

}  // namespace finality
