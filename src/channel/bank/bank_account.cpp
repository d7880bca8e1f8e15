#include "channel/bank/bank_account.h"

#include <fmt/format.h>

#include <algorithm>

namespace finality::bank {
namespace {

constexpr std::size_t kShownMax = 4;

// Returns the number without the spaces with which banks print it.
std::string compact(std::string_view text) {
  std::string number(text);
  std::erase(number, ' ');
  return number;
}

}  // namespace

bool BankAccountNumber::is(std::string_view other) const { return compact(other) == number; }

std::string masked_number(std::string_view text) {
  const std::string number = compact(text);
  const std::size_t shown = std::min(kShownMax, number.size() / 2);
  return fmt::format("***{}", number.substr(number.size() - shown));
}

Result<void> set_balances(LineCollector& lines, Currency currency, std::optional<MinorUnits> opening,
                          std::optional<MinorUnits> closing) {
  if (!opening) return fail("the file has no opening balance");
  if (!closing) return fail("the file has no closing balance");
  StatementSums& sums = lines.sums_for(currency);
  MinorUnits sum = 0;
  const bool is_too_large =
      __builtin_sub_overflow(sums.credits, sums.debits, &sum) || __builtin_add_overflow(sum, *opening, &sum);
  if (is_too_large || sum != *closing)
    return fail(
        fmt::format("the opening balance {}, credits of {} and debits of {} do not add up to the closing balance "
                    "{}",
                    format_money(*opening, currency), format_money(sums.credits, currency),
                    format_money(sums.debits, currency), format_money(*closing, currency)));
  sums.opening_balance = opening;
  sums.closing_balance = closing;
  return {};
}

}  // namespace finality::bank
