#include "sandbox/formats/decimal.h"

namespace finality::sandbox {

std::string to_decimal(MinorUnits amount, std::string_view currency) {
  const auto known = parse_currency(currency);
  const auto digits = static_cast<std::size_t>(known ? exponent_of(*known) : 0);
  std::string text = std::to_string(amount < 0 ? -amount : amount);
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  if (digits > 0) text.insert(text.size() - digits, ".");
  return (amount < 0 ? "-" : "") + text;
}

}  // namespace finality::sandbox
