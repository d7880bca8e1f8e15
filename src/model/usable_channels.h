// Resolves the field `channel` of a request to configured channels. The field contains a channel's name or a kind of
// channels. Pure. The returned views point into the policy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"

namespace finality {

/// Returns the kind of the channel, or empty if the channel has no channel account.
std::string_view kind_of(const Policy& policy, std::string_view channel);

/// Returns the configured channels of that kind, sorted by name. Excludes channels whose payments need the field
/// `account`, because clients must select such a channel by name.
std::vector<std::string_view> channels_of_kind(const Policy& policy, std::string_view kind);

/// Returns whether the merchant can make new payments over the channel: the channel is configured, and its channel
/// account is enabled and serves the merchant. A channel without a channel account serves all merchants.
bool is_usable(const Policy& policy, MerchantId merchant, std::string_view channel);

/// Returns the channels that a new payment of the merchant with `channel` = `name_or_kind` can use, in order of
/// preference. If `name_or_kind` is the name of a usable channel, returns only that channel. Otherwise returns the
/// usable channels of that kind: first those whose account lists the merchant, then those for all merchants. Each of
/// the two groups is sorted by name.
std::vector<std::string_view> channels_for(const Policy& policy, MerchantId merchant, std::string_view name_or_kind);

/// Returns the names and kinds of all configured channels, sorted.
std::vector<std::string_view> channel_names(const Policy& policy);

/// Returns the names and kinds of the channels whose accounts serve the merchant, including disabled accounts, sorted.
/// Messages to the merchant list these names.
std::vector<std::string_view> channel_names(const Policy& policy, MerchantId merchant);

/// The reason why `name_or_kind` resolves to no usable channel. If no such channel serves the merchant, `text` is the
/// end of a sentence that begins with the field's name. It does not reveal whether the channel exists for other
/// merchants. Otherwise `is_sentence` is true and `text` is a complete sentence.
struct ChannelComplaint {
  std::string text;
  bool is_sentence = false;
};
ChannelComplaint complaint_about_channel(const Policy& policy, MerchantId merchant, std::string_view name_or_kind);

}  // namespace finality
