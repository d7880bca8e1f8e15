// A trade as Alipay tells it, in the answer to a query or in a notification, read into evidence. Pure. Whoever calls
// has verified the signature.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/evidence.h"

namespace finality::alipay {

/// The words of both; empty where they are not said. Times as alipay/values.h reads them.
struct TradeWords {
  std::string_view trade_no;
  std::string_view out_trade_no;
  std::string_view status;
  std::string_view total_amount;
  std::string_view currency;     // said only where it is not CNY
  std::string_view paid_at;      // send_pay_date, gmt_payment
  std::string_view refund_fee;   // how much went back in all
  std::string_view refunded_at;  // gmt_refund
};

/// `source` and `asked_at` are the caller's to set, and `paid_at` where Alipay did not say when it was paid (it is 0
/// then). The error says which word is missing, broken, or contradicts another one.
///
/// TRADE_CLOSED says of itself neither that it was paid nor that it was not: the time of the payment, and what went
/// back, tell. A part that went back leaves the trade TRADE_SUCCESS: it is `paid`, as before.
Result<Evidence> read_trade(const TradeWords& words);

}  // namespace finality::alipay
