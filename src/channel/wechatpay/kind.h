// WeChat Pay (微信支付) as a kind of channel.
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kWechatpayKind;

}  // namespace finality
