// A trade as the sandbox's simple channel tells it, read into evidence. Pure. Whoever calls has verified the signature.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/evidence.h"

namespace finality::sandbox_channel {

struct Trade {
  std::string out_trade_no;
  Evidence evidence;  // `source` and `asked_at` are the caller's to set
};

/// What the member `refund` of a notification says about money going back: under which number, and whether some of it
/// came back.
Result<ReportedRefund> read_refund(const boost::json::object& body);

/// Reads the member `trade` of `body`. The error says which field is missing, broken, or contradicts another one.
Result<Trade> read_trade(const boost::json::object& body, std::string_view channel);

}  // namespace finality::sandbox_channel
