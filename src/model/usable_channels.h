// Which channels a word stands for: the name of a channel, or the kind of several. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/policy.h"

namespace finality {

/// Kind of the account of that channel; empty where it is not known.
std::string_view kind_of(const Policy& policy, std::string_view channel);

/// Configured channels of that kind, by name. Not those that take an account: they are chosen by their name only.
std::vector<std::string_view> channels_of_kind(const Policy& policy, std::string_view kind);

/// Whether new payments of the merchant may go over the channel: it is configured, its account is enabled and serves
/// the merchant. A channel whose account is not known is open to everybody.
bool is_usable(const Policy& policy, MerchantId merchant, std::string_view channel);

/// Channels that new payments of the merchant may go over where they ask for `word`, in the order of preference: the
/// channel of that name alone; where that is none, or not usable, those of that kind: first those that list the
/// merchant, then those for everybody, each by name.
std::vector<std::string_view> channels_for(const Policy& policy, MerchantId merchant, std::string_view word);

/// Names and kinds of the configured channels, sorted.
std::vector<std::string_view> channel_words(const Policy& policy);

/// Those of the channels whose accounts serve the merchant: disabled ones too. What a merchant may read of.
std::vector<std::string_view> channel_words(const Policy& policy, MerchantId merchant);

/// Why nothing is usable that `word` stands for. It goes on after the field's name where the merchant has no such
/// channel, so that another's channel looks like none; otherwise `is_sentence` holds.
struct ChannelComplaint {
  std::string text;
  bool is_sentence = false;
};
ChannelComplaint complaint_about_channel(const Policy& policy, MerchantId merchant, std::string_view word);

}  // namespace finality
