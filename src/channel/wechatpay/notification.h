// Reads notifications of WeChat Pay: an envelope around an encrypted trade or refund. Pure. The caller must have
// verified the signature over the raw bytes.
#pragma once

#include <string_view>

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/wechatpay/account.h"

namespace finality::wechatpay {

/// The time of the evidence is create_time, at most `now`. The state of the encrypted trade or refund takes precedence
/// over the notification's event_type. A notification of a refund yields evidence about the refund and, about its
/// trade, evidence that it was paid and of the amount of this refund.
Result<Notification> read_notification(std::string_view body, const Secret& api_v3_key, const Account& account,
                                       Time now);

}  // namespace finality::wechatpay
