// Reader of the fields of a payment: `payment` of an order, and the body of POST /v1/orders/{id}/payments.
#pragma once

#include "decide/payment/start_payment.h"
#include "http/input/fields.h"
#include "model/policy.h"

namespace finality::http {

/// Records mistakes in `fields`. Fills in the default method of the channel. The channel is empty if it must be chosen
/// by query/route_payment.h: `requested_channel` is then the requested kind, or the requested channel if the merchant
/// may not use it. If routes are configured, the client can also omit the channel; the method is then the requested
/// method, or empty.
PaymentFields read_payment_fields(Fields& fields, const Policy& policy, MerchantId merchant);

/// Records in `fields` the first field that the payment's channel does not accept, or that is missing for it. Has no
/// effect if the channel is empty.
void check_payment_fields(Fields& fields, const PaymentFields& payment, const Policy& policy);

}  // namespace finality::http
