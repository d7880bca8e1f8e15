// Callbacks of the WeChat Pay gateway: encrypted and signed notifications to merchants, and their retry delays. Pure,
// except for the random nonces of signatures.
#pragma once

#include <cstdint>
#include <optional>

#include "base/net/http_client.h"
#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Returns the callback request, signed at `now` with the key that the order requested, or with the flaw
/// `notification.forgery`. The body is the same at every attempt. Empty for failed and closed trades, because the
/// channel sends no callbacks about them.
std::optional<net::Call> wechatpay_callback(const WechatpayAccount& account, const Notification& notification,
                                            Time now);

/// Returns true for status 204, and for status 200 unless the body contains a `code` other than SUCCESS.
bool is_wechatpay_acknowledgement(const net::HttpResponse& response);

/// Returns the delay before the next attempt, after `attempts` failed attempts and before the division by the time
/// scale. Empty after 15 retries.
std::optional<Duration> wechatpay_retry_delay(std::int64_t attempts);

}  // namespace finality::sandbox
