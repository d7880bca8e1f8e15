// Performs one delivery attempt: sends the webhook over HTTP, signed according to Standard Webhooks, and reports the
// result to the engine.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Sends the webhook and submits the result to the engine. Sends nothing if the deadline of the attempt has passed.
/// Connects only to public addresses and to those in Policy::allow_private. If a limit of the HTTP client rejects the
/// attempt, it does not count as an attempt, and its row becomes due again. Returns immediately; the permit is held
/// until the result is submitted. REQUIRES: called inside the guard.
void perform_delivery(const std::shared_ptr<EffectContext>& context, DeliveryAttempt attempt, Permit permit);

/// Returns the command that records the result: acknowledged, or the reason of the failure. Pure.
RecordDelivery result_of_delivery(const Delivery& delivery, const net::CallResult& outcome, Time now);

}  // namespace finality
