// Reads refunds of WeChat Pay from responses (`status`) and notifications (`refund_status`). Pure. The caller must have
// verified the signature.
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

/// Reads a refund. `status_name` is the name of the member with its status. The error names the missing or malformed
/// field.
Result<RefundReport> read_refund(const boost::json::object& refund, std::string_view status_name);

/// Whether refund, trade, amounts and currency are exactly those of `call`.
bool is_about(const RefundReport& report, const RefundCall& call);

}  // namespace finality::wechatpay
