// Performs one attempt of a delivery: the notification over HTTP, signed by Standard Webhooks, and what came of it into
// the engine.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Nothing is sent when the attempt's deadline has passed. Only public addresses are gone to, and those the operator
/// allows. REQUIRES: called inside the guard. Returns at once.
void perform_delivery(const std::shared_ptr<EffectContext>& context, DeliveryAttempt attempt, Permit permit);

/// What the receiver's answer, or the lack of one, means. Pure.
RecordDelivery result_of_delivery(const Delivery& delivery, const net::CallResult& outcome, Time now);

}  // namespace finality
