// Callbacks of the WeChat Pay gateway: encrypted and signed notifications to the merchant, and their retry delays.
// Pure, except for the nonces of signatures.
#pragma once

#include <cstdint>
#include <optional>

#include "base/net/http_client.h"
#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// The callback request to the merchant; its body is the same at every attempt. Signed at `now` with the key that the
/// order requested, or with the flaw that `notification.forgery` names. Empty for failed and closed trades: the channel
/// does not send these notifications.
std::optional<net::Call> wechatpay_callback(const WechatpayAccount& account, const Notification& notification,
                                            Time now);

/// True for 204, and for 200 unless the body has a code other than SUCCESS.
bool is_wechatpay_acknowledgement(const net::HttpResponse& response);

/// The unscaled delay before the next attempt after `attempts` failed ones; empty after fifteen repetitions.
std::optional<Duration> wechatpay_retry_delay(std::int64_t attempts);

}  // namespace finality::sandbox
