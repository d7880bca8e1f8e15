// POST /v1/authorizations/{id}/query: queries the channel about the authorization and its open captures now.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct QueryAuthorization {
  MerchantId merchant_id;
  OrderId order_id;  // order of the authorization, looked up by the caller
  AuthorizationId authorization_id;
};

void add_reads(const QueryAuthorization& command, ReadSet& reads);

/// Has no effect on an authorization that is not sent yet and on one from the wallet. Refuses with `not_found`.
Decision decide(const QueryAuthorization& command, Context& context);

}  // namespace finality
