// A notification of WeChat Pay: an envelope around an encrypted trade or refund. Pure. Whoever calls has verified the
// signature over the raw bytes.
#pragma once

#include <string_view>

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/wechatpay/account.h"

namespace finality::wechatpay {

/// What it says, as old as it says itself (create_time), at most `now`. What counts is the state of the trade or refund
/// inside, not the event's name. One of a refund tells of the refund, and of its trade that so much went back.
Result<Notification> read_notification(std::string_view body, const Secret& api_v3_key, const Account& account,
                                       Time now);

}  // namespace finality::wechatpay
