#include "channel/channel.h"

#include <algorithm>

namespace finality {
namespace {

std::unexpected<Error> no_bills(const Channel& channel) {
  return fail("the channel " + channel.name() + " has no statements to download");
}

}  // namespace

std::optional<Evidence> Channel::answer_without_asking(const ChannelCall&, Time) const { return std::nullopt; }

Result<UpstreamRequest> Channel::request_of(const BillCall&, Time) const { return no_bills(*this); }
Result<std::optional<BillLink>> Channel::bill_link_of(const BillCall&, const UpstreamResponse&, Time) const {
  return no_bills(*this);
}
Result<std::string> Channel::bill_of(const BillLink&, const UpstreamResponse&) const { return no_bills(*this); }

std::string_view Channel::settings_behind(std::string_view) const { return {}; }

std::optional<UpstreamRequest> Channel::upkeep_request(Time) const { return std::nullopt; }
Result<void> Channel::take_upkeep(const UpstreamResponse&, Time) { return {}; }

const Channel* find_channel(const Channels& channels, std::string_view name) {
  const auto at =
      std::ranges::find(channels, name, [](const auto& channel) -> std::string_view { return channel->name(); });
  return at == channels.end() ? nullptr : at->get();
}

}  // namespace finality
