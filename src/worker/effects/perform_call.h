// Performs a request to a channel and reports the result, for payments and refunds alike.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Builds the request, sends it before its deadline, and records the reply. If the request cannot be sent and an
/// earlier result is outstanding, records the result as unknown so that it remains outstanding. REQUIRES: called inside
/// the guard; `Call` is a ChannelCall or a RefundCall.
template <class Call>
void perform_call(const std::shared_ptr<EffectContext>& context, Call call, Permit permit);

}  // namespace finality
