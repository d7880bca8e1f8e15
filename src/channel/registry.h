// All kinds of channels that this program knows.
#pragma once

#include <span>
#include <string_view>

#include "channel/kind.h"

namespace finality {

std::span<const ChannelKind* const> channel_kinds();

/// Null when there is none of that name.
const ChannelKind* find_kind(std::string_view name);

}  // namespace finality
