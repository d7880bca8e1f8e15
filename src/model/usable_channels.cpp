#include "model/usable_channels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace finality {
namespace {

const ChannelAccount* account_in(const Policy& policy, std::string_view channel) {
  const auto at = policy.accounts.find(channel);
  return at == policy.accounts.end() ? nullptr : &at->second;
}

bool serves(const Policy& policy, MerchantId merchant, std::string_view channel) {
  const ChannelAccount* account = account_in(policy, channel);
  return account == nullptr || account->serves(merchant);
}

/// Names and kinds of the channels that satisfy `wanted`, sorted.
template <class Wanted>
std::vector<std::string_view> words_of(const Policy& policy, Wanted wanted) {
  std::vector<std::string_view> words;
  for (const auto& [name, capabilities] : policy.channels) {
    if (!wanted(name)) continue;
    words.push_back(name);
    if (const std::string_view kind = kind_of(policy, name); !kind.empty()) words.push_back(kind);
  }
  std::ranges::sort(words);
  const auto rest = std::ranges::unique(words);
  words.erase(rest.begin(), rest.end());
  return words;
}

}  // namespace

std::string_view kind_of(const Policy& policy, std::string_view channel) {
  const ChannelAccount* account = account_in(policy, channel);
  return account == nullptr ? std::string_view() : std::string_view(account->kind);
}

std::vector<std::string_view> channels_of_kind(const Policy& policy, std::string_view kind) {
  std::vector<std::string_view> found;
  if (kind.empty()) return found;
  for (const auto& [name, capabilities] : policy.channels)
    if (!capabilities.takes_account && kind_of(policy, name) == kind) found.push_back(name);
  return found;
}

bool is_usable(const Policy& policy, MerchantId merchant, std::string_view channel) {
  if (!policy.channels.contains(channel)) return false;
  const ChannelAccount* account = account_in(policy, channel);
  return account == nullptr || (account->state == ChannelAccountState::enabled && account->serves(merchant));
}

std::vector<std::string_view> channels_for(const Policy& policy, MerchantId merchant, std::string_view word) {
  if (is_usable(policy, merchant, word)) return {word};
  std::vector<std::string_view> found = channels_of_kind(policy, word);
  std::erase_if(found, [&](std::string_view channel) { return !is_usable(policy, merchant, channel); });
  std::ranges::sort(found, {}, [&](std::string_view channel) {
    return std::pair(policy.accounts.find(channel)->second.merchants.empty(), channel);
  });
  return found;
}

std::vector<std::string_view> channel_words(const Policy& policy) {
  return words_of(policy, [](std::string_view) { return true; });
}

std::vector<std::string_view> channel_words(const Policy& policy, MerchantId merchant) {
  return words_of(policy, [&](std::string_view channel) { return serves(policy, merchant, channel); });
}

ChannelComplaint complaint_about_channel(const Policy& policy, MerchantId merchant, std::string_view word) {
  std::vector<std::string_view> named = channels_of_kind(policy, word);
  if (policy.channels.contains(word)) named.push_back(word);
  std::erase_if(named, [&](std::string_view channel) { return !serves(policy, merchant, channel); });
  if (named.empty()) {
    const std::vector<std::string_view> words = channel_words(policy, merchant);
    return {fmt::format("must be {}{}.", words.size() == 1 ? "" : "one of ", fmt::join(words, ", "))};
  }
  const bool all_disabled =
      std::ranges::none_of(named, [&](std::string_view channel) { return is_usable(policy, merchant, channel); });
  if (all_disabled)
    return {fmt::format("The channel {} is disabled and takes no new payments. Use another channel.", word), true};
  return {fmt::format("No channel of kind {} accepts the method, currency and amount of the payment. Use another "
                      "channel.",
                      word),
          true};
}

}  // namespace finality
