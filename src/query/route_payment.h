// Which channel takes a payment whose client named none, or a kind of channels. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "decide/payment/start_payment.h"
#include "model/policy.h"

namespace finality::query {

/// Says that a channel does not answer at present.
using IsDown = std::function<bool(std::string_view channel)>;

/// Says whether a target takes the payment as its client described it.
using Suits = std::function<bool(const RouteTarget& target)>;

/// What the choice is for.
struct PaymentAsked {
  MerchantId merchant;
  std::string_view method;  // empty: none was asked for
  Currency currency;
  MinorUnits amount = 0;
};

/// The first route that fits the method asked for, the currency and the amount decides. A target is a channel, or a
/// kind: then it is the channels of the kind that the merchant may use (model/usable_channels.h), one after another.
/// Channels that take no payments of the merchant are passed over. Of the targets the first that suits and whose
/// channel answers; where there is none, the first that suits; or else the first of all. A request that was taken once
/// is thus taken again when it is repeated, whoever is down by then. A target without a method of its own takes the one
/// asked for, and is passed over where its channel has no such method; so is one whose channel does not take the
/// currency or the amount. Empty where no route leads anywhere; otherwise the target's method is filled in.
std::optional<RouteTarget> choose_target(const Policy& policy, const PaymentAsked& asked, const IsDown& is_down,
                                         const Suits& suits);

/// Fills in channel and method of a payment whose client named no channel, and the channel of one that named a kind.
/// The channel stays empty where nothing takes the payment.
void route_payment(PaymentFields& payment, const Policy& policy, MerchantId merchant, Currency currency,
                   MinorUnits amount, const IsDown& is_down);

/// A field that the payment's channel does not take, or cannot do without.
struct InvalidField {
  std::string field;  // below the payment
  std::string why;    // goes on after the field's name
};

/// The first invalid field of a payment over the channel it has by now; none while it has none.
std::optional<InvalidField> invalid_field_of(const PaymentFields& payment, const Policy& policy);

}  // namespace finality::query
