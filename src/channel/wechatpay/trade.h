// Reads trades of WeChat Pay, from responses and notifications, into evidence. Pure. The caller must have verified the
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
  Evidence evidence;  // the caller sets `source` and `asked_at`; `paid_at` is 0 when WeChat does not report it
};

/// Reads a trade. An error when a field is missing or malformed, or the trade belongs to another merchant.
Result<Trade> read_trade(const boost::json::object& transaction, const Account& account);

}  // namespace finality::wechatpay
