// Performs one request to a channel about a payment, authorization, capture, refund or reversal, and reports the result
// to the engine.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Builds the request, sends it, and submits the evidence from the response to the engine. Sends nothing after the
/// deadline of the call. If the request cannot be sent and an earlier result is outstanding, submits the evidence
/// `unknown`, so that the result remains outstanding. A call about an authorization of the wallet needs no request: the
/// engine performs it (SettleWalletHold). Returns immediately; the permit is held until the result is submitted.
/// REQUIRES: called inside the guard; `Call` is a type of Effect other than DeliveryAttempt.
template <class Call>
void perform_call(const std::shared_ptr<EffectContext>& context, Call call, Permit permit);

}  // namespace finality
