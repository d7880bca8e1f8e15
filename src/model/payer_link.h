// Links for the payer's browser. They need no API key: each link contains a token with an HMAC, which grants access to
// one order, payment or authorization. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/objects/merchant.h"

namespace finality {

/// Returns the URL of the checkout page of the order: PUBLIC_URL/checkout/{token}.
std::string checkout_url(std::string_view public_url, const Merchant& merchant, OrderId order);
/// Returns the URL to which a channel redirects the payer (同步回调): PUBLIC_URL/return/{token}. REQUIRES: `attempt` is
/// the id of a payment or authorization.
std::string return_url(std::string_view public_url, const Merchant& merchant, ObjectRef attempt);

/// Returns the order id in the token of a checkout link, or empty if the text has not the form of a token. The id is
/// unverified: load the order's merchant, then verify the token with is_checkout_token().
std::optional<OrderId> order_of_checkout_token(std::string_view token);
bool is_checkout_token(std::string_view token, const Merchant& merchant, OrderId order);

/// Returns the payment or authorization in the token of a return link, or empty if the text has not the form of a
/// token. The id is unverified: load the merchant of its order, then verify the token with is_return_token().
std::optional<ObjectRef> attempt_of_return_token(std::string_view token);
bool is_return_token(std::string_view token, const Merchant& merchant, ObjectRef attempt);

}  // namespace finality
