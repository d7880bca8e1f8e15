// Parses Alipay's statements of trades (业务明细, bill_type `trade`). Columns are found by name. Pure.
//
// The column 业务类型 tells payments from refunds. Files differ in the signs of amounts and fees, so signs are ignored.
// The time of a line is 完成时间: when the payment succeeded or the refund was made. The discount of the merchant is
// the difference between 订单金额 and 商家实收.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/parsing/statement_lines.h"

namespace finality::alipay {

/// Parses a file of the account `seller_id` for a day, in any form that read_statement_text() accepts. Returns an error
/// that names the line and the column if the file is malformed or incomplete, is about another account or day, or its
/// totals are wrong.
Result<void> parse_trade_bill(std::string_view seller_id, const DaySpan& day, std::string_view file,
                              ParseBudget& budget, LineCollector& lines);

}  // namespace finality::alipay
