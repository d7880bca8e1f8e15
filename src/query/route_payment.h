// Selects the channel of a payment whose client named none, or a kind of channels. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "decide/payment/start_payment.h"
#include "model/policy.h"

namespace finality::query {

/// Whether the channel is currently unavailable.
using IsDown = std::function<bool(std::string_view channel)>;

/// Whether the target accepts the fields of the payment.
using Suits = std::function<bool(const RouteTarget& target)>;

/// The payment for which a target is selected.
struct RoutingRequest {
  MerchantId merchant;
  std::string_view method;  // requested method; can be empty
  Currency currency;
  MinorUnits amount = 0;
};

/// Selects a target from the first route that matches method, currency and amount and has a usable target. A target is
/// a channel, or a kind, which stands for the channels of the kind that the merchant may use (model/usable_channels.h).
/// Targets whose channel the merchant may not use, or that does not accept the currency, amount or method, are skipped.
/// A target without a method uses the requested one, or the default of the channel. Among the remaining targets,
/// selects the first suitable one whose channel is available; otherwise the first suitable one; otherwise the first. A
/// repeated request is therefore accepted again even if channels have become unavailable. Returns the target with its
/// method filled in; empty if no route has a target.
std::optional<RouteTarget> choose_target(const Policy& policy, const RoutingRequest& request, const IsDown& is_down,
                                         const Suits& suits);

/// Fills in channel and method of a payment without a channel, or the channel of a payment with a kind. The channel
/// stays empty if no channel accepts the payment.
void route_payment(PaymentFields& payment, const Policy& policy, MerchantId merchant, Currency currency,
                   MinorUnits amount, const IsDown& is_down);

/// A field that the payment's channel does not accept, or that is missing for it.
struct InvalidField {
  std::string field;  // path relative to the payment
  std::string why;    // continues after the path
};

/// The first field that is invalid for the payment's channel. Empty if the payment has no channel yet.
std::optional<InvalidField> invalid_field_of(const PaymentFields& payment, const Policy& policy);

}  // namespace finality::query
