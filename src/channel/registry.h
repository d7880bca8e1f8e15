// Registry of all kinds of channels: the only list of the adapters in this program.
#pragma once

#include <span>
#include <string_view>

#include "channel/kind.h"

namespace finality {

/// Returns all kinds of channels. The order is the same for each call.
std::span<const ChannelKind* const> channel_kinds();

/// Returns the kind with this name; null if the name is unknown.
const ChannelKind* find_kind(std::string_view name);

/// Returns the statements of the channel accounts or bank accounts of this kind (ChannelAccount::kind); null if the
/// kind provides none or is unknown.
const StatementPlan* find_statement_plan(std::string_view kind);

}  // namespace finality
