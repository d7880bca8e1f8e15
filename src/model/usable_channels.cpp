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

/// Returns the names and kinds of all channels for which `is_included` is true, sorted and without duplicates.
template <class Predicate>
std::vector<std::string_view> names_of(const Policy& policy, Predicate is_included) {
  std::vector<std::string_view> names;
  for (const auto& [name, capabilities] : policy.channels) {
    if (!is_included(name)) continue;
    names.push_back(name);
    if (const std::string_view kind = kind_of(policy, name); !kind.empty()) names.push_back(kind);
  }
  std::ranges::sort(names);
  const auto rest = std::ranges::unique(names);
  names.erase(rest.begin(), rest.end());
  return names;
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

std::vector<std::string_view> channels_for(const Policy& policy, MerchantId merchant, std::string_view name_or_kind) {
  if (is_usable(policy, merchant, name_or_kind)) return {name_or_kind};
  std::vector<std::string_view> found = channels_of_kind(policy, name_or_kind);
  std::erase_if(found, [&](std::string_view channel) { return !is_usable(policy, merchant, channel); });
  std::ranges::sort(found, {}, [&](std::string_view channel) {
    return std::pair(policy.accounts.find(channel)->second.merchants.empty(), channel);
  });
  return found;
}

std::vector<std::string_view> channel_names(const Policy& policy) {
  return names_of(policy, [](std::string_view) { return true; });
}

std::vector<std::string_view> channel_names(const Policy& policy, MerchantId merchant) {
  return names_of(policy, [&](std::string_view channel) { return serves(policy, merchant, channel); });
}

ChannelComplaint complaint_about_channel(const Policy& policy, MerchantId merchant, std::string_view name_or_kind) {
  std::vector<std::string_view> named = channels_of_kind(policy, name_or_kind);
  if (policy.channels.contains(name_or_kind)) named.push_back(name_or_kind);
  std::erase_if(named, [&](std::string_view channel) { return !serves(policy, merchant, channel); });
  if (named.empty()) {
    const std::vector<std::string_view> names = channel_names(policy, merchant);
    return {fmt::format("must be {}{}.", names.size() == 1 ? "" : "one of ", fmt::join(names, ", "))};
  }
  const bool all_disabled =
      std::ranges::none_of(named, [&](std::string_view channel) { return is_usable(policy, merchant, channel); });
  if (all_disabled)
    return {fmt::format("The channel {} is disabled and takes no new payments. Use another channel.", name_or_kind),
            true};
  return {fmt::format("No channel of kind {} accepts the method, currency and amount of the payment. Use another "
                      "channel.",
                      name_or_kind),
          true};
}

}  // namespace finality
