// Parses WeChat Pay's statements of trades (交易账单) in all layouts: ALL, SUCCESS, REFUND, and the layout with 24
// columns of merchants from before 2018. Columns are found by name. Pure.
//
// The time of a payment is its success; the time of a refund is its acceptance. A refund keeps the status that it had
// when the file was written. The merchant's discounts (免充值代金券) are the difference between the amount of the order
// or refund and the amount that WeChat settles.
//
// A trade that the merchant revoked (REVOKED) is a refund if its row has a refunded amount. Otherwise the row stands
// for the payment and its return, which cancel out, and becomes a failed payment.
#pragma once

#include <string_view>

#include "base/result.h"
#include "channel/parsing/statement_lines.h"

namespace finality::wechatpay {

/// Parses the unpacked or packed file of the merchant `mchid` for a day. Returns an error that names the line and the
/// column if the file is malformed or incomplete, contains rows of another merchant or day, or its sums are wrong.
Result<void> parse_trade_bill(std::string_view mchid, const DaySpan& day, std::string_view file, ParseBudget& budget,
                              LineCollector& lines);

}  // namespace finality::wechatpay
