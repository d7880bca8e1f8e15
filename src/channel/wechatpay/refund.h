// Parses refunds in responses and notifications of WeChat Pay. Pure. The caller must have verified the signature.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "base/money.h"
#include "base/result.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality::wechatpay {

struct RefundReport {
  std::string out_trade_no;
  std::string transaction_id;
  std::string out_refund_no;
  std::string status;
  MinorUnits refund = 0;
  MinorUnits total = 0;  // total amount of the trade
  std::string currency = "CNY";
  RefundEvidence evidence;  // the caller sets `source` and `asked_at`
};

/// Parses a refund. `status_name` is the name of the member with the state of the refund: `status` in a response,
/// `refund_status` in a notification. The error names the missing or malformed field.
Result<RefundReport> read_refund(const boost::json::object& refund, std::string_view status_name);

/// Whether identifiers, amounts and currency of the refund are those of `call`.
bool is_about(const RefundReport& report, const RefundCall& call);

}  // namespace finality::wechatpay
