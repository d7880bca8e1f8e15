#include "base/money.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace finality {
namespace {

struct Listed {
  std::string_view code;
  int exponent;
};

// The currencies of ISO 4217 list one with their exponents, sorted by code. Excludes funds, metals and test codes.
constexpr Listed kListed[] = {
    {"AED", 2}, {"AFN", 2}, {"ALL", 2}, {"AMD", 2}, {"ANG", 2}, {"AOA", 2}, {"ARS", 2}, {"AUD", 2}, {"AWG", 2},
    {"AZN", 2}, {"BAM", 2}, {"BBD", 2}, {"BDT", 2}, {"BGN", 2}, {"BHD", 3}, {"BIF", 0}, {"BMD", 2}, {"BND", 2},
    {"BOB", 2}, {"BRL", 2}, {"BSD", 2}, {"BTN", 2}, {"BWP", 2}, {"BYN", 2}, {"BZD", 2}, {"CAD", 2}, {"CDF", 2},
    {"CHF", 2}, {"CLP", 0}, {"CNY", 2}, {"COP", 2}, {"CRC", 2}, {"CUP", 2}, {"CVE", 2}, {"CZK", 2}, {"DJF", 0},
    {"DKK", 2}, {"DOP", 2}, {"DZD", 2}, {"EGP", 2}, {"ERN", 2}, {"ETB", 2}, {"EUR", 2}, {"FJD", 2}, {"FKP", 2},
    {"GBP", 2}, {"GEL", 2}, {"GHS", 2}, {"GIP", 2}, {"GMD", 2}, {"GNF", 0}, {"GTQ", 2}, {"GYD", 2}, {"HKD", 2},
    {"HNL", 2}, {"HTG", 2}, {"HUF", 2}, {"IDR", 2}, {"ILS", 2}, {"INR", 2}, {"IQD", 3}, {"IRR", 2}, {"ISK", 0},
    {"JMD", 2}, {"JOD", 3}, {"JPY", 0}, {"KES", 2}, {"KGS", 2}, {"KHR", 2}, {"KMF", 0}, {"KPW", 2}, {"KRW", 0},
    {"KWD", 3}, {"KYD", 2}, {"KZT", 2}, {"LAK", 2}, {"LBP", 2}, {"LKR", 2}, {"LRD", 2}, {"LSL", 2}, {"LYD", 3},
    {"MAD", 2}, {"MDL", 2}, {"MGA", 2}, {"MKD", 2}, {"MMK", 2}, {"MNT", 2}, {"MOP", 2}, {"MRU", 2}, {"MUR", 2},
    {"MVR", 2}, {"MWK", 2}, {"MXN", 2}, {"MYR", 2}, {"MZN", 2}, {"NAD", 2}, {"NGN", 2}, {"NIO", 2}, {"NOK", 2},
    {"NPR", 2}, {"NZD", 2}, {"OMR", 3}, {"PAB", 2}, {"PEN", 2}, {"PGK", 2}, {"PHP", 2}, {"PKR", 2}, {"PLN", 2},
    {"PYG", 0}, {"QAR", 2}, {"RON", 2}, {"RSD", 2}, {"RUB", 2}, {"RWF", 0}, {"SAR", 2}, {"SBD", 2}, {"SCR", 2},
    {"SDG", 2}, {"SEK", 2}, {"SGD", 2}, {"SHP", 2}, {"SLE", 2}, {"SOS", 2}, {"SRD", 2}, {"SSP", 2}, {"STN", 2},
    {"SVC", 2}, {"SYP", 2}, {"SZL", 2}, {"THB", 2}, {"TJS", 2}, {"TMT", 2}, {"TND", 3}, {"TOP", 2}, {"TRY", 2},
    {"TTD", 2}, {"TWD", 2}, {"TZS", 2}, {"UAH", 2}, {"UGX", 0}, {"USD", 2}, {"UYU", 2}, {"UZS", 2}, {"VES", 2},
    {"VND", 0}, {"VUV", 0}, {"WST", 2}, {"XAF", 0}, {"XCD", 2}, {"XOF", 0}, {"XPF", 0}, {"YER", 2}, {"ZAR", 2},
    {"ZMW", 2}, {"ZWG", 2},
};

struct Symbol {
  std::string_view code;
  std::string_view text;
};
constexpr Symbol kSymbols[] = {{"CNY", "¥"},   {"USD", "US$"}, {"EUR", "€"},   {"GBP", "£"},  {"HKD", "HK$"},
                               {"JPY", "JP¥"}, {"KRW", "₩"},   {"TWD", "NT$"}, {"SGD", "S$"}, {"MOP", "MOP$"}};

// The absolute amount with a decimal point. Unsigned, because the absolute value of INT64_MIN does not fit into int64.
std::string digits_of(MinorUnits amount, int exponent) {
  const auto magnitude = amount < 0 ? ~static_cast<std::uint64_t>(amount) + 1 : static_cast<std::uint64_t>(amount);
  std::string digits = fmt::format("{:0{}}", magnitude, exponent + 1);
  if (exponent > 0) digits.insert(digits.size() - static_cast<std::size_t>(exponent), ".");
  return digits;
}

const Listed* find(std::string_view code) {
  const auto* at = std::ranges::lower_bound(kListed, code, {}, &Listed::code);
  return at != std::end(kListed) && at->code == code ? at : nullptr;
}

}  // namespace

std::optional<Currency> parse_currency(std::string_view code) {
  if (find(code) == nullptr) return std::nullopt;
  return Currency{{code[0], code[1], code[2]}};
}

int exponent_of(Currency currency) {
  const Listed* listed = find(currency.text());
  return listed != nullptr ? listed->exponent : 2;
}

std::string format_money(MinorUnits amount, Currency currency) {
  return fmt::format("{}{} {}", amount < 0 ? "-" : "", digits_of(amount, exponent_of(currency)), currency.text());
}

std::string display_money(MinorUnits amount, Currency currency) {
  const int exponent = exponent_of(currency);
  std::string digits = digits_of(amount, exponent);
  const std::size_t fraction = exponent > 0 ? static_cast<std::size_t>(exponent) + 1 : 0;
  for (std::size_t at = digits.size() - fraction; at > 3;) digits.insert(at -= 3, ",");
  const std::string_view sign = amount < 0 ? "-" : "";
  const auto* symbol = std::ranges::find(kSymbols, currency.text(), &Symbol::code);
  if (symbol == std::end(kSymbols)) return fmt::format("{}{} {}", sign, digits, currency.text());
  return fmt::format("{}{}{}", sign, symbol->text, digits);
}

}  // namespace finality
