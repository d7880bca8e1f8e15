// Statements of the bank at which the merchant has an account per currency. A withdrawal from a channel arrives on the
// next day, in China time; a top-up of a channel leaves the account at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/china_time.h"
#include "sandbox/core/ledger.h"

namespace finality::sandbox {

/// A credit or debit of the account.
struct BankEntry {
  std::string reference;  // assigned by the bank; unique
  Time at;
  MinorUnits amount = 0;   // a credit is positive
  std::string end_to_end;  // Movement::line_id: the channel's number of the withdrawal or top-up
  std::string remittance;  // names the channel
};

/// Statement of one account and day.
struct BankStatement {
  std::string account;
  std::string currency;
  std::string date;  // yyyy-MM-dd
  Time created_at;
  MinorUnits opening_balance = 0;
  MinorUnits closing_balance = 0;
  std::vector<BankEntry> entries;  // oldest first
};

/// Returns the statements of a day, one per account with entries on this day or an earlier day. Withdrawals of days
/// with DayFault::withdrawal_not_credited have no entries.
std::vector<BankStatement> bank_statements(Ledger& ledger, std::string_view date, const Day& span);

/// Returns the statements as one file in ISO 20022 camt.053.001.08. Pure.
std::string to_camt(const std::vector<BankStatement>& statements);

}  // namespace finality::sandbox
