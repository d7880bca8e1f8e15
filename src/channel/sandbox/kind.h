// ChannelKind of the sandbox's simple channel.
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kSandboxKind;

}  // namespace finality
