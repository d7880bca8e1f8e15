// Reader of the fields of a payment or authorization: the field `payment` of POST /v1/orders, and the body of
// POST /v1/orders/{id}/payments and POST /v1/orders/{id}/authorizations.
#pragma once

#include <vector>

#include "decide/payment/start_payment.h"
#include "http/input/fields.h"
#include "model/checkout_method.h"
#include "model/policy.h"

namespace finality::http {

/// Reads the fields of a payment, or of an authorization if `capture` is `manual`. Records validation errors in
/// `fields`. Without `method`, uses the channel's first method, or its first method for authorizations. If the client
/// sent a kind, or a channel that the merchant may not use, `requested_channel` has its name and `channel` is empty. If
/// routes are configured, the client can omit the channel: both are then empty, and `method` is empty unless the client
/// sent it. query::route_payment() selects the channel if `channel` is empty.
PaymentFields read_payment_fields(Fields& fields, const Policy& policy, MerchantId merchant, CaptureMethod capture);

/// Reads the field `methods` of an order: what its checkout page offers; empty if it is absent. Refuses unknown and
/// repeated methods, and those that the page cannot start (Capabilities::page_methods).
std::vector<CheckoutMethod> read_checkout_methods(Fields& fields, const Policy& policy, MerchantId merchant,
                                                  CaptureMethod capture);

/// Checks the payment against the capabilities of its channel. Records in `fields` the first field that is missing, or
/// that the channel does not accept. Has no effect if `payment.channel` is empty.
void check_payment_fields(Fields& fields, const PaymentFields& payment, const Policy& policy);

}  // namespace finality::http
