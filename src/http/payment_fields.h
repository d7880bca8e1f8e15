// The fields of a payment, as they stand in an order's `payment` and in the body of POST /v1/orders/{id}/payments.
#pragma once

#include "decide/start_payment.h"
#include "http/fields.h"
#include "model/policy.h"

namespace finality::http {

/// Mistakes are kept in `fields`. The method is filled in with the channel's default. Where there are routes the
/// channel may be missing: then it is empty, and the method is what was asked for, or empty (http/route_payment.h).
PaymentFields read_payment_fields(Fields& fields, const Policy& policy);

/// Keeps in `fields` what the payment's channel, once it has one, does not take or cannot do without.
void check_payment_fields(Fields& fields, const PaymentFields& payment, const Policy& policy);

}  // namespace finality::http
