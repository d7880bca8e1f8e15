// Resolves the `channel` of a request, which is the name of a channel or a kind of channels. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"

namespace finality {

/// Kind of the channel's account; empty when the account is unknown.
std::string_view kind_of(const Policy& policy, std::string_view channel);

/// Configured channels of that kind, sorted by name. Excludes channels that take an account, which must be named.
std::vector<std::string_view> channels_of_kind(const Policy& policy, std::string_view kind);

/// Whether the merchant can make new payments over the channel: it is configured, and its account is enabled and serves
/// the merchant. A channel whose account is unknown serves every merchant.
bool is_usable(const Policy& policy, MerchantId merchant, std::string_view channel);

/// Channels for new payments of the merchant with `channel` = `name_or_kind`, in order of preference. If it names a
/// usable channel, only that channel. Otherwise the usable channels of that kind: first those whose account lists the
/// merchant, then those for all merchants, each sorted by name.
std::vector<std::string_view> channels_for(const Policy& policy, MerchantId merchant, std::string_view name_or_kind);

/// Names and kinds of the configured channels, sorted.
std::vector<std::string_view> channel_names(const Policy& policy);

/// Names and kinds of the channels whose accounts serve the merchant, disabled accounts included: the merchant sees
/// these.
std::vector<std::string_view> channel_names(const Policy& policy, MerchantId merchant);

/// The reason why `name_or_kind` resolves to no usable channel. When the merchant has no such channel, `text` continues
/// a sentence that begins with the field's name, so that another merchant's channel looks like an unknown one.
/// Otherwise `text` is a full sentence and `is_sentence` is true.
struct ChannelComplaint {
  std::string text;
  bool is_sentence = false;
};
ChannelComplaint complaint_about_channel(const Policy& policy, MerchantId merchant, std::string_view name_or_kind);

}  // namespace finality
