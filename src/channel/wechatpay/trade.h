// A trade as WeChat Pay tells it in answers and notifications, read into evidence. Pure. Whoever calls has verified who
// said it.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "base/result.h"
#include "channel/wechatpay/account.h"
#include "model/evidence.h"

namespace finality::wechatpay {

struct Trade {
  std::string out_trade_no;
  Evidence evidence;  // `source` and `asked_at` are the caller's to set; `paid_at` is 0 where WeChat does not say it
};

/// The error says what is missing or broken, or that the trade is another merchant's.
Result<Trade> read_trade(const boost::json::object& transaction, const Account& account);

}  // namespace finality::wechatpay
