// Parses Alipay's statements of the account (账务明细, bill_type `signcustomer`): all changes of its balance on one
// day. Columns are found by name. Pure.
//
// Alipay states the balance after each line for reference only: it need not equal the previous balance and the amount.
// The opening and closing balances therefore come from the first and the last line, and the lines are checked against
// the totals of the file.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/parsing/statement_lines.h"

namespace finality::alipay {

/// Parses a file of the account `seller_id` for a day, in any form that read_statement_text() accepts. Returns an error
/// that names the line and the column if the file is malformed or incomplete, is about another account or day, or its
/// totals are wrong.
Result<void> parse_account_bill(std::string_view seller_id, const DaySpan& day, std::string_view file,
                                ParseBudget& budget, LineCollector& lines);

}  // namespace finality::alipay
