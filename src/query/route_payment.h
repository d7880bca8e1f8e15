// Selects the channel of a payment or authorization. The request can name no channel, or a kind of channels. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "decide/payment/start_payment.h"
#include "model/policy.h"

namespace finality::query {

/// Returns whether the channel is currently unavailable, for example because its circuit breaker is open.
using IsDown = std::function<bool(std::string_view channel)>;

/// Returns whether the target's channel accepts the fields of the payment.
using Suits = std::function<bool(const RouteTarget& target)>;

/// The properties of a payment or authorization by which a target is selected.
struct RoutingRequest {
  MerchantId merchant;
  std::string_view method{};  // requested method; empty if the request has none
  Currency currency;
  MinorUnits amount = 0;
  bool authorizes = false;  // an authorization: selects only channels and methods that have authorizations
};

/// Selects a target from the first route that matches method, currency and amount and has a usable target. A target is
/// usable if the merchant may use its channel and the channel accepts method, currency and amount. A target with a kind
/// represents all channels of that kind (model/usable_channels.h). Among the usable targets, selects the first target
/// that `suits` accepts and that is available; otherwise the first that `suits` accepts; otherwise the first. So no
/// request is refused because channels are unavailable. Returns the target with its method: that of the target, the
/// requested method, or the channel's default. Returns empty if no route has a usable target.
std::optional<RouteTarget> choose_target(const Policy& policy, const RoutingRequest& request, const IsDown& is_down,
                                         const Suits& suits);

/// Sets channel and method of a payment or authorization that has no channel yet. Uses the requested kind of channels
/// if there is one, otherwise the routes. The channel remains empty if no channel accepts the payment. `request`: its
/// method is that of the payment.
void route_payment(PaymentFields& payment, const Policy& policy, RoutingRequest request, const IsDown& is_down);

/// A field that the payment's channel does not accept, or that the channel requires and the payment does not have.
struct InvalidField {
  std::string field;  // path relative to the payment object, such as "payer.openid"
  std::string why;    // predicate of a sentence that begins with the path, such as "is required"
};

/// Returns the first field that is invalid for the payment's channel. Returns empty if all fields are valid or the
/// payment has no channel yet.
std::optional<InvalidField> invalid_field_of(const PaymentFields& payment, const Policy& policy);

}  // namespace finality::query
