// Converts trades in responses and notifications of WeChat Pay into evidence. Pure. The caller must have verified the
// signature.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "base/result.h"
#include "channel/wechatpay/account.h"
#include "model/evidence.h"

namespace finality::wechatpay {

struct Trade {
  std::string out_trade_no;
  Evidence evidence;  // the caller sets `source` and `asked_at`, and `paid_at` if WeChat does not report it (0)
};

/// Parses a trade. Returns an error if a field is missing or malformed, or if the trade is not of this account.
Result<Trade> read_trade(const boost::json::object& transaction, const Account& account);

}  // namespace finality::wechatpay
