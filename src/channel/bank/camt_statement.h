// Parses statements of banks in ISO 20022 camt.053 (BankToCustomerStatement), of all versions: elements are found by
// their names without namespaces. Pure.
//
// A file can contain the statements of several accounts and days. Only those of the account and the day are read; at
// least one must exist. Several are pages of one statement. The day of a statement is the date of its closing balance.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/bank/bank_account.h"
#include "channel/parsing/statement_lines.h"

namespace finality::bank {

/// Parses a file, packed with GZIP or not. One line is one booked entry (`Ntry` with status BOOK); its number counts
/// the entries of the file. Returns an error that names the entry and the element if the file is malformed or
/// incomplete, if it has no statement of the account and the day `date`, or if balances and entries do not add up.
Result<void> parse_camt(const BankAccountNumber& account, std::string_view date, std::string_view file,
                        ParseBudget& budget, LineCollector& lines);

}  // namespace finality::bank
