// The sandbox's simple channel as a kind of channel.
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kSandboxKind;

}  // namespace finality
