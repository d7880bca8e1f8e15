// Description of the channel kind `sandbox`, the simple channel of `finality sandbox`.
#pragma once

#include "channel/kind.h"

namespace finality {

extern const ChannelKind kSandboxKind;

}  // namespace finality
