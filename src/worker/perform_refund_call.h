// One request to a channel about money going back, and what came of it.
#pragma once

#include <memory>

#include "worker/outside.h"

namespace finality {

/// Sends the request unless its deadline has passed, and brings what the channel says into the engine as RecordRefund.
/// REQUIRES: called inside the gate.
void perform_refund_call(const std::shared_ptr<Outside>& outside, RefundCall call, Ticket ticket);

}  // namespace finality
