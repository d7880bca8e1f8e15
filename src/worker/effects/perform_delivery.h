// Performs one delivery attempt: sends the notification over HTTP, signed according to Standard Webhooks, and reports
// the result to the engine.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Sends nothing if the attempt's deadline has passed. Connects only to public addresses and to those the operator
/// allows. REQUIRES: called inside the guard. Returns immediately.
void perform_delivery(const std::shared_ptr<EffectContext>& context, DeliveryAttempt attempt, Permit permit);

/// Derives the result of the attempt from the receiver's response or its absence. Pure.
RecordDelivery result_of_delivery(const Delivery& delivery, const net::CallResult& outcome, Time now);

}  // namespace finality
