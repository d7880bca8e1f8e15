#include "channel/channel.h"

#include <algorithm>

namespace finality {

const Channel* find_channel(const Channels& channels, std::string_view name) {
  const auto at =
      std::ranges::find(channels, name, [](const auto& channel) -> std::string_view { return channel->name(); });
  return at == channels.end() ? nullptr : at->get();
}

}  // namespace finality
