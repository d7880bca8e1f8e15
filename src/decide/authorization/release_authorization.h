// POST /v1/authorizations/{id}/release: releases what the authorization still holds.
#pragma once

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct ReleaseAuthorization {
  MerchantId merchant_id;
  OrderId order_id;  // order of the authorization, looked up by the caller
  AuthorizationId authorization_id;
};

void add_reads(const ReleaseAuthorization& command, ReadSet& reads);

/// Returns an ended authorization, or one that is being released, unchanged. Refuses with `not_found` (no such
/// authorization), `illegal_transition` (nothing is held yet: the order is closed instead; or the order is parked),
/// `capture_in_progress` (the result of a capture is outstanding).
Decision decide(const ReleaseAuthorization& command, Context& context);

}  // namespace finality
