// Description of the channel kind `wechatpay` (WeChat Pay, 微信支付).
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kWechatpayKind;

}  // namespace finality
