// Links for the payer's browser. They need no API key: the token is unguessable and authorises its holder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/objects/merchant.h"

namespace finality {

/// The checkout page of the order: PUBLIC_URL/checkout/{token}.
std::string checkout_url(std::string_view public_url, const Merchant& merchant, OrderId order);
/// The page to which a channel redirects the payer (同步回调): PUBLIC_URL/return/{token}.
std::string return_url(std::string_view public_url, const Merchant& merchant, PaymentId payment);

/// The order that the token of a checkout link names. Does not verify the token; is_checkout_token() does.
std::optional<OrderId> order_of_checkout_token(std::string_view token);
bool is_checkout_token(std::string_view token, const Merchant& merchant, OrderId order);

/// The payment that the token of a return link names. Does not verify the token; is_return_token() does.
std::optional<PaymentId> payment_of_return_token(std::string_view token);
bool is_return_token(std::string_view token, const Merchant& merchant, PaymentId payment);

}  // namespace finality
