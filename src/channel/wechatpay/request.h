// Builds requests to WeChat Pay, with method, path and body, but without signature and headers. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "channel/channel.h"
#include "channel/statements.h"
#include "channel/wechatpay/account.h"

namespace finality::wechatpay {

/// Name of the kind in [channels.NAME] and in the table of texts.
inline constexpr std::string_view kKind = "wechatpay";

/// Returns the request for a call. `target` is path and query, relative to the URL of the gateway. `is_sandbox` adds
/// the scenario of the payment.
net::HttpRequest request_of(const ChannelCall& call, const Account& account, const std::string& notify_url,
                            bool is_sandbox);
net::HttpRequest request_of(const RefundCall& call, const std::string& notify_url);
/// Returns the request for the link to the statement of a day. REQUIRES: the call is valid
/// (check_call).
net::HttpRequest request_of(const StatementCall& call);

}  // namespace finality::wechatpay
