// What is to be done about a row that came due. Pure: the store says which rows, the engine decides what comes of it.
#pragma once

#include "engine/request.h"
#include "store/store.h"

namespace finality {

/// The claim of the row: an order or a hold expires, a payment, a refund, a reversal or a delivery is claimed.
/// REQUIRES: the row is one of these.
Request plan_claim(const DueRow& due);

}  // namespace finality
