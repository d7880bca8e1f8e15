#include "channel/statement_sources.h"

namespace finality {

StatementSources statement_sources_of(const Channels& channels) {
  StatementSources sources;
  for (const auto& channel : channels)
    if (const Statements* statements = channel->statements()) sources[channel->name()] = statements;
  return sources;
}

const Statements* find_statements(const StatementSources& sources, std::string_view name) {
  const auto at = sources.find(name);
  return at == sources.end() ? nullptr : at->second;
}

}  // namespace finality
