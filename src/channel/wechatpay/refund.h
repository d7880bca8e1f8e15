// Money going back, as WeChat Pay tells it in answers (`status`) and notifications (`refund_status`). Pure. Whoever
// calls has verified who said it.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "base/money.h"
#include "base/result.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::wechatpay {

struct RefundSaid {
  std::string out_trade_no;
  std::string transaction_id;
  std::string out_refund_no;
  std::string status;
  MinorUnits refund = 0;
  MinorUnits total = 0;  // what the trade collected
  std::string currency = "CNY";
  RefundEvidence evidence;  // `source` and `asked_at` are the caller's to set
};

/// The error says what is missing or broken.
Result<RefundSaid> read_refund(const boost::json::object& refund, std::string_view status_name);

/// Whether it is about exactly what `call` asked for.
bool is_about(const RefundSaid& said, const RefundCall& call);

}  // namespace finality::wechatpay
