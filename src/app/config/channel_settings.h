// Reader of the [channels.NAME] tables of the configuration.
#pragma once

#include <cstddef>
#include <string_view>

#include "app/config/settings.h"
#include "app/node.h"

namespace finality::app {

inline constexpr std::size_t kChannelsMax = 1000;
inline constexpr std::size_t kChannelNameMax = 32;  // characters

/// Reports an error if `name` cannot be the NAME of a channel or bank account. `tables` contains the table `name`.
void check_account_name(Table& tables, std::string_view name);

/// Reads all channels into options.channel_accounts, by the settings of their kinds (channel/registry.h). Creates each
/// channel once, with its keys, so that unusable settings are reported here. Reports errors by `top`. REQUIRES:
/// options.policy.public_url and options.bank_accounts have been read.
void read_channels(Table& top, NodeOptions& options);

}  // namespace finality::app
