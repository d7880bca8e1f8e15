// Money as an integer of minor units and a currency. Amounts are never floating-point numbers.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace finality {

/// An amount in minor units of its currency: fen, cents, yen.
using MinorUnits = std::int64_t;

/// A currency, identified by its ISO 4217 code in upper case.
struct Currency {
  std::array<char, 3> code{'X', 'X', 'X'};

  std::string_view text() const { return {code.data(), code.size()}; }
  auto operator<=>(const Currency&) const = default;
};

/// Returns the currency if ISO 4217 lists the code as a currency in use; empty otherwise.
std::optional<Currency> parse_currency(std::string_view code);

/// Number of digits after the decimal point: 2 for CNY, 0 for JPY, 3 for KWD (ISO 4217 minor unit).
/// REQUIRES: `currency` came from parse_currency.
int exponent_of(Currency currency);

/// Returns the sum, or empty on overflow.
inline std::optional<MinorUnits> checked_add(MinorUnits one, MinorUnits other) {
  MinorUnits sum;
  return __builtin_add_overflow(one, other, &sum) ? std::nullopt : std::optional(sum);
}

/// Formats an amount for operators and logs: `12.34 CNY`, `500 JPY`.
std::string format_money(MinorUnits amount, Currency currency);

/// Formats an amount for payers: digits grouped by thousands, with the symbol of a common currency (`¥1,234.50`,
/// `HK$8.00`) or else the currency code (`1,234.500 KWD`).
std::string display_money(MinorUnits amount, Currency currency);

}  // namespace finality
