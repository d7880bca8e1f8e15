// Maps a due row to the command that claims it. Pure.
#pragma once

#include "engine/request.h"
#include "store/store.h"

namespace finality {

/// Returns the command for the row: ExpireOrder or ExpireHold for an order or hold, ClaimRequest for a payment,
/// authorization, capture, refund or reversal, ClaimDelivery for a delivery. REQUIRES: the row has one of these types.
Request plan_claim(const DueRow& due);

}  // namespace finality
