// Alipay (支付宝) as a kind of channel.
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kAlipayKind;

}  // namespace finality
