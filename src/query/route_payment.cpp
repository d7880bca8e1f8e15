#include "query/route_payment.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <span>
#include <utility>
#include <vector>

#include "model/usable_channels.h"

namespace finality::query {
namespace {

bool fits(const PaymentRoute& route, const RoutingRequest& request) {
  return (route.method.empty() || route.method == request.method) &&
         (!route.currency || *route.currency == request.currency) && request.amount >= route.amount_min &&
         request.amount <= route.amount_max;
}

// Returns the target with its method filled in. Returns empty if the channel does not support the method, does not
// accept the currency or amount, or has no authorizations for a request that authorizes.
std::optional<RouteTarget> resolved(const Policy& policy, RouteTarget found, const RoutingRequest& request) {
  const auto channel = policy.channels.find(found.channel);
  if (channel == policy.channels.end()) return std::nullopt;
  if (!channel->second.takes(request.currency) || request.amount > channel->second.amount_max) return std::nullopt;
  if (request.authorizes && !channel->second.authorization) return std::nullopt;
  const std::vector<std::string>& methods =
      request.authorizes ? channel->second.authorization->methods : channel->second.methods;
  if (found.method.empty())
    found.method = request.method.empty() && !methods.empty() ? methods.front() : std::string(request.method);
  return Capabilities::has(methods, found.method) ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::string> payer_field(const PaymentFields& payment, std::string_view field) {
  if (payment.payer.empty()) return std::nullopt;
  const boost::json::value payer = boost::json::parse(payment.payer);
  const boost::json::value* value = payer.as_object().if_contains(field);
  return value != nullptr ? std::optional<std::string>(value->as_string()) : std::nullopt;
}

// Checks the field of `payer` that the payment's method requires. Returns the field if it is missing or invalid.
std::optional<InvalidField> invalid_payer_field_of(const PaymentFields& payment, const Capabilities& capabilities) {
  const auto needed = capabilities.payer_field.find(payment.method);
  if (needed == capabilities.payer_field.end()) return std::nullopt;
  const std::string field = "payer." + needed->second;
  const auto value = payer_field(payment, needed->second);
  if (!value)
    return InvalidField{
        field, fmt::format("is required for the method {} of the channel {}", payment.method, payment.channel)};
  const std::string_view wrong =
      capabilities.payer_rule != nullptr ? capabilities.payer_rule(payment.method, *value) : std::string_view();
  return wrong.empty() ? std::nullopt : std::optional(InvalidField{field, std::string(wrong)});
}

// Returns the targets with their methods filled in. Replaces a kind by the channels of that kind that the merchant may
// use.
std::vector<RouteTarget> all_resolved(const Policy& policy, std::span<const RouteTarget> targets,
                                      const RoutingRequest& request) {
  std::vector<RouteTarget> found;
  for (const RouteTarget& target : targets)
    for (const std::string_view channel : channels_for(policy, request.merchant, target.channel))
      if (auto one = resolved(policy, {std::string(channel), target.method}, request)) found.push_back(std::move(*one));
  return found;
}

// Returns the first target that accepts the payment and whose channel is available; otherwise the first target
// that accepts the payment; otherwise the first target.
std::optional<RouteTarget> preferred(std::vector<RouteTarget> targets, const IsDown& is_down, const Suits& suits) {
  RouteTarget* fallback = nullptr;
  bool fallback_suits = false;
  for (RouteTarget& target : targets) {
    const bool suited = suits(target);
    if (suited && !is_down(target.channel)) return std::move(target);
    if (fallback != nullptr && (fallback_suits || !suited)) continue;
    fallback = &target;
    fallback_suits = suited;
  }
  return fallback != nullptr ? std::optional(std::move(*fallback)) : std::nullopt;
}

}  // namespace

std::optional<RouteTarget> choose_target(const Policy& policy, const RoutingRequest& request, const IsDown& is_down,
                                         const Suits& suits) {
  for (const PaymentRoute& route : policy.routes) {
    if (!fits(route, request)) continue;
    if (auto found = preferred(all_resolved(policy, route.targets, request), is_down, suits)) return found;
  }
  return std::nullopt;
}

void route_payment(PaymentFields& payment, const Policy& policy, RoutingRequest request, const IsDown& is_down) {
  if (!payment.channel.empty()) return;
  const bool by_kind = !payment.requested_channel.empty();
  payment.channel_routed = true;
  payment.method_routed = !by_kind && payment.method.empty();
  const auto suits = [&](const RouteTarget& target) {
    PaymentFields there = payment;
    there.channel = target.channel;
    there.method = target.method;
    return !invalid_field_of(there, policy);
  };
  request.method = payment.method;
  const RouteTarget kind{payment.requested_channel, ""};
  auto target = by_kind ? preferred(all_resolved(policy, std::span(&kind, 1), request), is_down, suits)
                        : choose_target(policy, request, is_down, suits);
  if (!target) return;
  // A route can define a name for a method, such as "scan", that no channel has. The route then also selects the
  // channel's method.
  if (target->method != payment.method) payment.method_routed = true;
  payment.channel = std::move(target->channel);
  payment.method = std::move(target->method);
}

std::optional<InvalidField> invalid_field_of(const PaymentFields& payment, const Policy& policy) {
  const auto channel = policy.channels.find(payment.channel);
  if (channel == policy.channels.end()) return std::nullopt;
  const Capabilities& capabilities = channel->second;
  if (payment.scenario && !capabilities.takes_scenario)
    return InvalidField{"scenario", "is only allowed for channels whose gateway is the sandbox"};
  if (payment.scenario && !policy.scenarios.empty() &&
      std::ranges::find(policy.scenarios, *payment.scenario) == policy.scenarios.end())
    return InvalidField{"scenario", fmt::format("must be one of {}", fmt::join(policy.scenarios, ", "))};
  return invalid_payer_field_of(payment, capabilities);
}

}  // namespace finality::query
