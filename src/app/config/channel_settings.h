// The [channels.NAME] of the configuration.
#pragma once

#include <cstddef>

#include "app/config/settings.h"
#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kChannelNameMax = 32;  // characters

/// Reads all channels into `options`, whose public_url is known, by the settings of their kinds (channel/registry.h).
/// Each channel is made once, with its keys, so that what is wrong with them is said at the start.
void read_channels(Table& top, NodeOptions& options);

}  // namespace finality::app
