// Converts a trade of the sandbox's simple channel into evidence. Pure. The caller must have verified the signature.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/evidence.h"

namespace finality::sandbox_channel {

struct Trade {
  std::string out_trade_no;
  Evidence evidence;  // the caller sets `source` and `asked_at`
};

/// Reads the member `refund` of a notification: out_refund_no and amount, and return_no if the money of the refund came
/// back to the merchant, and its settlement. The error names the field that is missing or malformed.
Result<ReportedRefund> read_refund(const boost::json::object& body);

/// Reads the member `settlement` of a trade or refund; empty if it is absent. The error names the field that is
/// malformed, or states that `net` is not amount - fee. The payment or refund is evidence even if its
/// settlement is malformed: callers then leave the settlement out.
Result<std::optional<ReportedSettlement>> read_settlement(const boost::json::object& document);

/// Reads the URL of the payer's page from the member `action` of the response to a send. Empty if it has no valid URL:
/// an absolute http or https URL of at most limits::kUrlMax bytes, without user information and fragment.
std::optional<std::string> read_page(const boost::json::object& body);

/// Reads the member `trade` of `body`, a trade of the channel `channel`. The error names the field that is missing,
/// malformed or contradictory.
Result<Trade> read_trade(const boost::json::object& body, std::string_view channel);

}  // namespace finality::sandbox_channel
