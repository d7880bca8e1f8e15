// Decrypts and parses notifications of WeChat Pay. A notification is a JSON object with an encrypted trade or refund.
// Pure. The caller must have verified the signature of the raw bytes.
#pragma once

#include <string_view>

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/wechatpay/account.h"

namespace finality::wechatpay {

/// Parses a notification. The time of the evidence is create_time, at most `now`. The evidence depends on the state of
/// the encrypted trade or refund, not on event_type. A notification about a refund also yields evidence about its
/// trade: the trade was paid, and the amount of this refund. The error names the missing or malformed field.
Result<Notification> read_notification(std::string_view body, const Secret& api_v3_key, const Account& account,
                                       Time now);

}  // namespace finality::wechatpay
