// Parses statements of banks in CSV, the format of docs/reference/bank-statement.md. Columns are found by name. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/bank/bank_account.h"
#include "channel/parsing/statement_lines.h"

namespace finality::bank {

/// Parses a file of the account for the day `date`, packed with GZIP or not, in UTF-8 or GB18030. Returns an error that
/// names the line and the column if the file is malformed or incomplete, has a text in another encoding, repeats a
/// reference, is about another account or day, or if balances and lines do not add up. Reads the file twice.
Result<void> parse_csv(const BankAccountNumber& account, std::string_view date, std::string_view file,
                       ParseBudget& budget, LineCollector& lines);

}  // namespace finality::bank
