#include "app/config/route_settings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "model/usable_channels.h"

namespace finality::app {
namespace {

std::optional<MinorUnits> read_amount(const toml::node& node) {
  const auto amount = node.value_exact<std::int64_t>();
  return amount && *amount >= 1 && *amount <= limits::kAmountMax ? amount : std::nullopt;
}

std::optional<Currency> read_currency(const toml::node& node) { return parse_currency(read_text(node).value_or("")); }

// Parses a list of "CHANNEL" or "CHANNEL:METHOD", such as "alipay" or "alipay:qr". Empty if the list is invalid.
std::optional<std::vector<RouteTarget>> read_targets(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty() || list->size() > kRouteChannelsMax) return std::nullopt;
  std::vector<RouteTarget> targets;
  for (const toml::node& item : *list) {
    const std::string text = read_text(item).value_or("");
    const std::size_t colon = text.find(':');
    RouteTarget target{text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
    if (target.channel.empty() || (colon != std::string::npos && target.method.empty())) return std::nullopt;
    targets.push_back(std::move(target));
  }
  return targets;
}

const Rule<MinorUnits> kAmount{fmt::format("an integer of minor units from 1 to {}", limits::kAmountMax), read_amount};
const Rule<Currency> kCurrency{"an ISO 4217 code in upper case, such as CNY", read_currency};
const Rule<std::vector<RouteTarget>> kTargets{
    fmt::format("a list of 1 to {} channels, each as CHANNEL or CHANNEL:METHOD, such as alipay or alipay:qr",
                kRouteChannelsMax),
    read_targets};

PaymentRoute read_route(Table& table) {
  table.only({"channels", "method", "currency", "amount_min", "amount_max"});
  PaymentRoute route;
  table.require("channels", kTargets, route.targets);
  table.read("method", kText, route.method);
  Currency currency;
  table.read("currency", kCurrency, currency);
  if (table.has("currency")) route.currency = currency;
  table.read("amount_min", kAmount, route.amount_min);
  table.read("amount_max", kAmount, route.amount_max);
  if (route.amount_min > route.amount_max) table.complain("amount_max", "must not be less than amount_min");
  return route;
}

// All channels that a target can select: the channel with the target's name and the channels of the kind with that
// name. If both exist, the kind applies to merchants that the named channel does not serve.
std::vector<std::string_view> channels_of(const Policy& policy, const RouteTarget& target) {
  std::vector<std::string_view> channels = channels_of_kind(policy, target.channel);
  if (policy.channels.contains(target.channel) && std::ranges::find(channels, target.channel) == channels.end())
    channels.push_back(target.channel);
  return channels;
}

// The error in a route with regard to one channel of its target; empty if the route is valid.
std::string complaint_about(const PaymentRoute& route, const RouteTarget& target, std::string_view channel,
                            const Capabilities& capabilities) {
  if (capabilities.takes_account) return fmt::format("channel {} requires an account and cannot be routed to", channel);
  if (route.currency && !capabilities.takes(*route.currency))
    return fmt::format("channel {} accepts {} only, but the currency of the route is {}", channel,
                       capabilities.currency->text(), route.currency->text());
  if (std::ranges::count_if(route.targets, [&](const RouteTarget& other) {
        return other.channel == target.channel && other.method == target.method;
      }) > 1)
    return fmt::format("{}{}{} is listed twice", target.channel, target.method.empty() ? "" : ":", target.method);
  const std::string& method = target.method.empty() ? route.method : target.method;
  if (method.empty() || Capabilities::has(capabilities.methods, method)) return {};
  return fmt::format("channel {0} has no method {1}; select one of its methods ({3}), for example {0}:{2}", channel,
                     method, capabilities.methods.front(), fmt::join(capabilities.methods, ", "));
}

// The first error in a route over all channels of its target; empty if the route is valid.
std::string complaint_about(const PaymentRoute& route, const RouteTarget& target, const Policy& policy) {
  const std::vector<std::string_view> channels = channels_of(policy, target);
  if (channels.empty()) return fmt::format("unknown channel {}", target.channel);
  for (const std::string_view channel : channels)
    if (std::string complaint = complaint_about(route, target, channel, policy.channels.find(channel)->second);
        !complaint.empty())
      return complaint;
  return {};
}

// True if payments of all merchants can use the channel.
bool is_open_to_all(const Policy& policy, std::string_view channel) {
  const auto account = policy.accounts.find(channel);
  return account == policy.accounts.end() ||
         (account->second.merchants.empty() && account->second.state == ChannelAccountState::enabled);
}

// True if the route has a channel for every payment that matches `later`.
bool leads_for_all(const PaymentRoute& route, const PaymentRoute& later, const Policy& policy) {
  const auto leads = [&](const RouteTarget& target, std::string_view channel) {
    const Capabilities& capabilities = policy.channels.find(channel)->second;
    const bool has_method =
        !target.method.empty() || (!later.method.empty() && Capabilities::has(capabilities.methods, later.method));
    const bool has_currency = !capabilities.currency || later.currency == capabilities.currency;
    return has_method && has_currency && later.amount_max <= capabilities.amount_max && is_open_to_all(policy, channel);
  };
  return std::ranges::any_of(route.targets, [&](const RouteTarget& target) {
    return std::ranges::any_of(channels_of(policy, target),
                               [&](std::string_view channel) { return leads(target, channel); });
  });
}

// True if the route takes all payments of the route `later`, so that `later` is unreachable. REQUIRES:
// complaint_about() is empty for both routes.
bool takes_all_of(const PaymentRoute& route, const PaymentRoute& later, const Policy& policy) {
  return (route.method.empty() || route.method == later.method) &&
         (!route.currency || route.currency == later.currency) && route.amount_min <= later.amount_min &&
         route.amount_max >= later.amount_max && leads_for_all(route, later, policy);
}

Result<void> check_reach(const Policy& policy) {
  const std::vector<PaymentRoute>& routes = policy.routes;
  for (std::size_t later = 1; later < routes.size(); ++later)
    for (std::size_t i = 0; i < later; ++i)
      if (takes_all_of(routes[i], routes[later], policy))
        return fail(fmt::format(
            "routes[{}] is unreachable: routes[{}] takes all of its payments; put the narrower route first", later, i));
  return {};
}

}  // namespace

void read_routes(Table& top, Policy& policy) {
  for (Table& table : top.tables("routes", kRoutesMax)) policy.routes.push_back(read_route(table));
}

Result<void> check_routes(const Policy& policy) {
  for (std::size_t i = 0; i < policy.routes.size(); ++i)
    for (const RouteTarget& target : policy.routes[i].targets)
      if (const std::string complaint = complaint_about(policy.routes[i], target, policy); !complaint.empty())
        return fail(fmt::format("routes[{}].channels: {}", i, complaint));
  return check_reach(policy);
}

}  // namespace finality::app
