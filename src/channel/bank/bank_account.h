// The bank account to which a statement belongs, and the checks of its balances, for all formats of statements of
// banks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/result.h"
#include "channel/parsing/statement_lines.h"

namespace finality::bank {

/// Identifies a bank account. Banks can have accounts of one number in several currencies.
struct BankAccountNumber {
  std::string number;  // IBAN or account number, without spaces
  Currency currency;

  /// Whether a statement names this number; spaces are ignored.
  bool is(std::string_view other) const;
};

/// The account number with its last characters only, at most 4 and at most half of the number: `***2051`.
std::string masked_number(std::string_view number);

/// Time zone in which the lines get a time: the first instant of the day on which the bank booked them. Statements of
/// banks state days only.
inline constexpr std::chrono::minutes kBankTime = kChinaTime;

/// Maximum length of the text of a line, in bytes.
inline constexpr std::size_t kTextBytesMax = 256;

/// Sets the balances in the sums of the account's currency. Returns an error if a balance is missing, or if the opening
/// balance and the lines do not add up to the closing balance.
Result<void> set_balances(LineCollector& lines, Currency currency, std::optional<MinorUnits> opening,
                          std::optional<MinorUnits> closing);

}  // namespace finality::bank
