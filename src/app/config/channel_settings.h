// Reader of the [channels.NAME] tables of the configuration.
#pragma once

#include <cstddef>

#include "app/config/settings.h"
#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kChannelNameMax = 32;  // characters

/// Reads all channels into options.channel_accounts, by the settings of their kinds (channel/registry.h). Creates each
/// channel once, with its keys, so that unusable settings are reported here. Reports errors by `top`. REQUIRES:
/// options.policy.public_url has been read.
void read_channels(Table& top, NodeOptions& options);

}  // namespace finality::app
