// Settings of one bank account of the platform, from [bank_accounts.NAME] of the configuration.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"

namespace finality::app {

struct BankAccountSettings {
  std::string name;  // NAME in [bank_accounts.NAME]
  Currency currency;
  std::string number;   // IBAN or account number, as in the statements of the bank
  std::string title;    // for operators; may be empty
  bool enabled = true;  // if false, no channel withdraws to the account
  /// From the end of each day to the upload of its statement; then a missing statement is reported. Empty: never.
  std::optional<Duration> expected_within;
};

/// The settings that identify the account at the bank, as one text such as `number=DE02120300000000202051
/// currency=EUR`. Two accounts with the same text are the same account. The accounts of one number in several
/// currencies are different accounts.
std::string identity_of(const BankAccountSettings& account);

}  // namespace finality::app
