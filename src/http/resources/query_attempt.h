// Queries a payment or authorization at its channel: POST /v1/payments/{id}/query and POST
// /v1/authorizations/{id}/query.
#pragma once

#include <functional>

#include "http/server/call.h"

namespace finality::http {

/// Submits the command that `command_for` returns for the order of `attempt`, a payment or authorization; the order id
/// is 0 if the attempt does not exist or belongs to another merchant. Limits the queries of an attempt to one per
/// limits::kQueryPause, and refuses others with `rate_limited`.
void query_attempt(Api& api, const HttpExchangePtr& exchange, ObjectRef attempt,
                   std::function<Command(OrderId)> command_for);

}  // namespace finality::http
