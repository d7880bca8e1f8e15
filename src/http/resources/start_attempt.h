// Starts a payment or authorization of an existing order: POST /v1/orders/{id}/payments and
// POST /v1/orders/{id}/authorizations, which have the same body.
#pragma once

#include "http/server/call.h"
#include "query/route_payment.h"

namespace finality::http {

/// Selects the channel of the payment or authorization if the client sent no channel, or sent a kind instead of a
/// channel. `request`: its method is that of `payment`.
void route(PaymentFields& payment, const Services& services, const query::RoutingRequest& request);

/// Handler of the request. `Start`: StartPayment or StartAuthorization.
template <class Start>
void start_attempt(Api& api, const HttpExchangePtr& exchange);

}  // namespace finality::http
