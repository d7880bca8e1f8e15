#include "channel/channel.h"

#include <algorithm>

#include "channel/authorizations.h"
#include "channel/maintenance.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/statements.h"

namespace finality {

std::optional<Evidence> Channel::answer_without_asking(const ChannelCall&, Time) const { return std::nullopt; }

std::string_view Channel::config_hint(std::string_view) const { return {}; }

// dynamic_cast returns an optional interface exactly if the adapter's class derives from it.
const Authorizations* Channel::authorizations() const { return dynamic_cast<const Authorizations*>(this); }
const Refunds* Channel::refunds() const { return dynamic_cast<const Refunds*>(this); }
const Statements* Channel::statements() const { return dynamic_cast<const Statements*>(this); }
Maintenance* Channel::maintenance() { return dynamic_cast<Maintenance*>(this); }
ReplaceableKeys* Channel::replaceable_keys() { return dynamic_cast<ReplaceableKeys*>(this); }

Capabilities capabilities_of(const Channel& channel) {
  Capabilities capabilities = channel.capabilities();
  capabilities.refunds = channel.refunds() != nullptr;
  if (channel.authorizations() == nullptr) capabilities.authorization.reset();
  return capabilities;
}

const Channel* find_channel(const Channels& channels, std::string_view name) {
  const auto at =
      std::ranges::find(channels, name, [](const auto& channel) -> std::string_view { return channel->name(); });
  return at == channels.end() ? nullptr : at->get();
}

}  // namespace finality
