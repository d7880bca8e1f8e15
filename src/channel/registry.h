// Registry of all kinds of channels.
#pragma once

#include <span>
#include <string_view>

#include "channel/kind.h"

namespace finality {

/// All kinds, in a fixed order.
std::span<const ChannelKind* const> channel_kinds();

/// The kind with this name; null if it does not exist.
const ChannelKind* find_kind(std::string_view name);

}  // namespace finality
