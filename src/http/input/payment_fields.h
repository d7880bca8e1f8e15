// The fields of a payment, as they stand in an order's `payment` and in the body of POST /v1/orders/{id}/payments.
#pragma once

#include "decide/payment/start_payment.h"
#include "http/input/fields.h"
#include "model/policy.h"

namespace finality::http {

/// Mistakes are kept in `fields`. The method is filled in with the channel's default. The channel is empty where it has
/// to be chosen (query/route_payment.h): `asked` is then the kind that was named, or the channel that takes no
/// payments of the merchant; where there are routes the client may also name none, and the method is the requested one,
/// or empty.
PaymentFields read_payment_fields(Fields& fields, const Policy& policy, MerchantId merchant);

/// Keeps in `fields` what the payment's channel, once it has one, does not take or cannot do without.
void check_payment_fields(Fields& fields, const PaymentFields& payment, const Policy& policy);

}  // namespace finality::http
