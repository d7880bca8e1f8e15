// Description of the channel kind `alipay` (Alipay, 支付宝).
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kAlipayKind;

}  // namespace finality
