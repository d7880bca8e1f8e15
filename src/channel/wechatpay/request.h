// What we ask WeChat Pay: method, path and body. Unsigned, without headers. Pure.
#pragma once

#include <string>

#include "base/net/http_message.h"
#include "channel/channel.h"
#include "channel/statements.h"
#include "channel/wechatpay/account.h"

namespace finality::wechatpay {

/// A request without the gateway's address: `target` is the path and query below it.
net::HttpRequest request_of(const ChannelCall& call, const Account& account, const std::string& notify_url,
                            bool is_sandbox);
net::HttpRequest request_of(const RefundCall& call, const std::string& notify_url);
/// REQUIRES: `call.date` is one (is_date).
net::HttpRequest request_of(const BillCall& call);

bool is_date(std::string_view text);  // yyyy-MM-dd, of the calendar

}  // namespace finality::wechatpay
