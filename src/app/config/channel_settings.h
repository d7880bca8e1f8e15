// Reader of the [channels.NAME] tables of the configuration.
#pragma once

#include <cstddef>

#include "app/config/settings.h"
#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kChannelNameMax = 32;  // characters

/// Reads all channels into `options` according to the settings of their kinds (channel/registry.h). Creates each
/// channel once, with its keys, to report mistakes at the start. REQUIRES: options.policy.public_url has been read.
void read_channels(Table& top, NodeOptions& options);

}  // namespace finality::app
