// Parses WeChat Pay's statements of one account (资金账单): all changes of its balance on one day. Columns are found by
// name. The file names neither the merchant nor the account; only the signed link to a downloaded file does. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/parsing/statement_lines.h"

namespace finality::wechatpay {

/// Parses the unpacked or packed file for a day. Returns an error that names the line and the column if the file is
/// malformed or incomplete, contains rows of another day, or its sums are wrong.
Result<void> parse_fund_bill(const DaySpan& day, std::string_view file, ParseBudget& budget, LineCollector& lines);

}  // namespace finality::wechatpay
