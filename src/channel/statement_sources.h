// The parsers of statements of this process, by channel account.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "channel/channel.h"
#include "channel/statements.h"

namespace finality {

/// By NAME of the channel account: the channels that implement Statements, and the bank accounts. The objects outlive
/// the map.
using StatementSources = std::map<std::string, const Statements*, std::less<>>;

/// Returns the channels that implement Statements.
StatementSources statement_sources_of(const Channels& channels);
/// Returns null if this server has no such channel account, or if the channel provides no statements.
const Statements* find_statements(const StatementSources& sources, std::string_view name);

}  // namespace finality
