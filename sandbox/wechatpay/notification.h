// The WeChat Pay gateway's callbacks: what tells the merchant unasked, encrypted and signed, and how often it is
// repeated. Pure, but for the nonces of signatures.
#pragma once

#include <cstdint>
#include <optional>

#include "base/net/http_client.h"
#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// The request that tells the merchant of what has happened; its body is the same every time. Signed at `now` with the
/// key that the order asked for, or falsely, as the notification says. Empty: the channel does not tell of it; that are
/// trades that failed or were closed.
std::optional<net::Call> wechatpay_callback(const WechatpayAccount& account, const Notification& notification,
                                            Time now);

/// 204, or 200 unless its body says another code than SUCCESS.
bool is_wechatpay_acknowledgement(const net::HttpResponse& response);

/// How long after `attempts` attempts in vain the next one is made, in real time; empty after fifteen repetitions.
std::optional<Duration> wechatpay_retry_delay(std::int64_t attempts);

}  // namespace finality::sandbox
