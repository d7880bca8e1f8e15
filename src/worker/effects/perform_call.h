// A request to a channel, and what came of it: the same for payments and for money that goes back.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Builds the request, sends it before its deadline, and has the answer recorded. What could not be asked is recorded
/// as unknown where an answer is owed, so that it stays owed. REQUIRES: called inside the guard; `Call` is a
/// ChannelCall or a RefundCall.
template <class Call>
void perform_call(const std::shared_ptr<EffectContext>& context, Call call, Permit permit);

}  // namespace finality
