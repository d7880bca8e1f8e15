// Reads trades of Alipay, from query responses and notifications, into evidence. Pure. The caller must have verified
// the signature.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/evidence.h"

namespace finality::alipay {

/// Fields of query responses and notifications; empty when missing. Times in the format of alipay/values.h.
struct TradeFields {
  std::string_view trade_no;
  std::string_view out_trade_no;
  std::string_view status;
  std::string_view total_amount;
  std::string_view currency;     // present only when it is not CNY
  std::string_view paid_at;      // send_pay_date of queries, gmt_payment of notifications
  std::string_view refund_fee;   // total of all refunds
  std::string_view refunded_at;  // gmt_refund
};

/// Evidence about the trade. The caller sets `source` and `asked_at`, and also `paid_at` when Alipay does not report it
/// (`paid_at` is 0 then). The error names the field that is missing, malformed or contradictory.
///
/// TRADE_CLOSED alone does not state whether the trade was paid; the payment time and the refund fields do. After a
/// partial refund the trade stays TRADE_SUCCESS, which is `paid`.
Result<Evidence> read_trade(const TradeFields& fields);

}  // namespace finality::alipay
