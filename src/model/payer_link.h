// Links that a payer's browser follows. They carry no key: who knows the link may use it, and nobody can guess it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/objects/merchant.h"

namespace finality {

/// The page that shows the payer what is to be paid, and how: PUBLIC_URL/checkout/{token}.
std::string checkout_url(std::string_view public_url, const Merchant& merchant, OrderId order);
/// Where a channel sends the payer back to (同步回调): PUBLIC_URL/return/{token}.
std::string return_url(std::string_view public_url, const Merchant& merchant, PaymentId payment);

/// The order that the token of a checkout link names. Only is_checkout_token() says whether the token is genuine.
std::optional<OrderId> order_of_checkout_token(std::string_view token);
bool is_checkout_token(std::string_view token, const Merchant& merchant, OrderId order);

/// The payment that the token of a return link names. Only is_return_token() says whether the token is genuine.
std::optional<PaymentId> payment_of_return_token(std::string_view token);
bool is_return_token(std::string_view token, const Merchant& merchant, PaymentId payment);

}  // namespace finality
