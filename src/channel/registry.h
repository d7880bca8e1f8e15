// Registry of all kinds of channels.
#pragma once

#include <span>
#include <string_view>

#include "channel/kind.h"

namespace finality {

std::span<const ChannelKind* const> channel_kinds();

/// Null when no kind has this name.
const ChannelKind* find_kind(std::string_view name);

}  // namespace finality
