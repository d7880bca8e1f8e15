#include "http/route_payment.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <utility>
#include <vector>

namespace finality::http {
namespace {

bool fits(const Route& route, std::string_view method, Currency currency, MinorUnits amount) {
  return (route.method.empty() || route.method == method) && (!route.currency || *route.currency == currency) &&
         amount >= route.amount_min && amount <= route.amount_max;
}

// The target with its method filled in; empty where its channel does not have the method.
std::optional<RouteTarget> resolved(const Policy& policy, const RouteTarget& target, std::string_view method) {
  const auto channel = policy.channels.find(target.channel);
  if (channel == policy.channels.end()) return std::nullopt;
  const std::vector<std::string>& methods = channel->second.methods;
  RouteTarget found = target;
  if (found.method.empty()) found.method = method.empty() && !methods.empty() ? methods.front() : std::string(method);
  return Capabilities::has(methods, found.method) ? std::optional(std::move(found)) : std::nullopt;
}

bool has_payer_field(const PaymentFields& payment, std::string_view field) {
  if (payment.payer.empty()) return false;
  return boost::json::parse(payment.payer).as_object().contains(field);
}

}  // namespace

std::optional<RouteTarget> choose_target(const Policy& policy, std::string_view method, Currency currency,
                                         MinorUnits amount, const IsDown& is_down) {
  for (const Route& route : policy.routes) {
    if (!fits(route, method, currency, amount)) continue;
    std::optional<RouteTarget> first;
    for (const RouteTarget& target : route.targets) {
      std::optional<RouteTarget> found = resolved(policy, target, method);
      if (!found) continue;
      if (!is_down(found->channel)) return found;
      if (!first) first = std::move(found);
    }
    if (first) return first;
  }
  return std::nullopt;
}

void route_payment(PaymentFields& payment, const Policy& policy, Currency currency, MinorUnits amount,
                   const IsDown& is_down) {
  if (!payment.channel.empty()) return;
  payment.channel_routed = true;
  payment.method_routed = payment.method.empty();
  auto target = choose_target(policy, payment.method, currency, amount, is_down);
  if (!target) return;
  // The word that was asked for may be the route's, not the channel's: then the method is the route's choice, too.
  if (target->method != payment.method) payment.method_routed = true;
  payment.channel = std::move(target->channel);
  payment.method = std::move(target->method);
}

std::optional<Misfit> misfit_of(const PaymentFields& payment, const Policy& policy) {
  const auto channel = policy.channels.find(payment.channel);
  if (channel == policy.channels.end()) return std::nullopt;
  const Capabilities& capabilities = channel->second;
  if (payment.scenario && !capabilities.takes_scenario)
    return Misfit{"scenario", "is only for channels whose gateway is the sandbox"};
  const auto needed = capabilities.payer_field.find(payment.method);
  if (needed != capabilities.payer_field.end() && !has_payer_field(payment, needed->second))
    return Misfit{"payer." + needed->second,
                  fmt::format("is required for the method {} of the channel {}", payment.method, payment.channel)};
  return std::nullopt;
}

}  // namespace finality::http
