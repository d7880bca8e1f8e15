// The fields of a payment, as they stand in an order's `payment` and in the body of POST /v1/orders/{id}/payments.
#pragma once

#include "decide/start_payment.h"
#include "http/fields.h"
#include "model/policy.h"

namespace finality::http {

/// Mistakes are kept in `fields`. The method is filled in with the channel's default.
PaymentFields read_payment_fields(Fields& fields, const Policy& policy);

}  // namespace finality::http
