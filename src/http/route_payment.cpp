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

// The target with its method filled in; empty where its channel does not have the method, or does not take the money.
std::optional<RouteTarget> resolved(const Policy& policy, const RouteTarget& target, std::string_view method,
                                    Currency currency, MinorUnits amount) {
  const auto channel = policy.channels.find(target.channel);
  if (channel == policy.channels.end()) return std::nullopt;
  if (!channel->second.takes(currency) || amount > channel->second.amount_max) return std::nullopt;
  const std::vector<std::string>& methods = channel->second.methods;
  RouteTarget found = target;
  if (found.method.empty()) found.method = method.empty() && !methods.empty() ? methods.front() : std::string(method);
  return Capabilities::has(methods, found.method) ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<std::string> payer_field(const PaymentFields& payment, std::string_view field) {
  if (payment.payer.empty()) return std::nullopt;
  const boost::json::value payer = boost::json::parse(payment.payer);
  const boost::json::value* value = payer.as_object().if_contains(field);
  return value != nullptr ? std::optional<std::string>(value->as_string()) : std::nullopt;
}

// What the payment's method cannot do without of its payer.
std::optional<Misfit> payer_misfit_of(const PaymentFields& payment, const Capabilities& capabilities) {
  const auto needed = capabilities.payer_field.find(payment.method);
  if (needed == capabilities.payer_field.end()) return std::nullopt;
  const std::string field = "payer." + needed->second;
  const auto value = payer_field(payment, needed->second);
  if (!value)
    return Misfit{field,
                  fmt::format("is required for the method {} of the channel {}", payment.method, payment.channel)};
  const std::string_view wrong =
      capabilities.payer_rule != nullptr ? capabilities.payer_rule(payment.method, *value) : std::string_view();
  return wrong.empty() ? std::nullopt : std::optional(Misfit{field, std::string(wrong)});
}

}  // namespace

std::optional<RouteTarget> choose_target(const Policy& policy, std::string_view method, Currency currency,
                                         MinorUnits amount, const IsDown& is_down, const Suits& suits) {
  for (const Route& route : policy.routes) {
    if (!fits(route, method, currency, amount)) continue;
    std::optional<RouteTarget> fallback;
    bool fallback_suits = false;
    for (const RouteTarget& target : route.targets) {
      std::optional<RouteTarget> found = resolved(policy, target, method, currency, amount);
      if (!found) continue;
      const bool suited = suits(*found);
      if (suited && !is_down(found->channel)) return found;
      if (fallback && (fallback_suits || !suited)) continue;
      fallback = std::move(found);
      fallback_suits = suited;
    }
    if (fallback) return fallback;
  }
  return std::nullopt;
}

void route_payment(PaymentFields& payment, const Policy& policy, Currency currency, MinorUnits amount,
                   const IsDown& is_down) {
  if (!payment.channel.empty()) return;
  payment.channel_routed = true;
  payment.method_routed = payment.method.empty();
  const auto suits = [&](const RouteTarget& target) {
    PaymentFields there = payment;
    there.channel = target.channel;
    there.method = target.method;
    return !misfit_of(there, policy);
  };
  auto target = choose_target(policy, payment.method, currency, amount, is_down, suits);
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
  return payer_misfit_of(payment, capabilities);
}

}  // namespace finality::http
