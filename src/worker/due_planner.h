// Maps a due row to the command that claims it. Pure: the store finds the rows, the engine executes the commands.
#pragma once

#include "engine/request.h"
#include "store/store.h"

namespace finality {

/// Returns the claim of the row: an order or a hold expires; a payment, a refund, a reversal or a delivery is claimed.
/// REQUIRES: the row has one of these types.
Request plan_claim(const DueRow& due);

}  // namespace finality
