// Converts a trade, from a query response or a notification of Alipay, into evidence. Pure. The caller must have
// verified the signature.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/evidence.h"

namespace finality::alipay {

/// Fields of a query response or a notification. A missing field is empty. alipay/values.h defines the format of times
/// and amounts.
struct TradeFields {
  std::string_view trade_no;
  std::string_view out_trade_no;
  std::string_view status;
  std::string_view total_amount;
  std::string_view currency;     // trans_currency; empty means CNY
  std::string_view paid_at;      // send_pay_date of a query response, gmt_payment of a notification
  std::string_view refund_fee;   // total of all refunds of the trade
  std::string_view refunded_at;  // gmt_refund of a notification
};

/// Returns evidence about the trade. The caller sets `source` and `asked_at`. If Alipay does not report when a trade
/// was paid, `paid_at` is 0 and the caller sets it. The error names a missing, malformed or contradictory field.
///
/// TRADE_CLOSED alone does not state whether the trade was paid. A payment time or a refund field shows that it was.
/// After a partial refund the trade stays TRADE_SUCCESS, which is `paid`.
Result<Evidence> read_trade(const TradeFields& fields);

}  // namespace finality::alipay
