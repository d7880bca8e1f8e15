// Submits the result of an effect to the engine. If the engine is busy, retries after increasing pauses. After
// limits::kResultTriesMax tries the result is dropped; the row of the effect becomes due again.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Returns the pause before the next try, after `tries` tries that the engine did not accept.
Duration result_pause(int tries);

/// Submits the request to the engine; sets the `reply` function of the request. Holds the permit until the engine has
/// executed or refused the request, or until the request is dropped. REQUIRES: called inside the guard.
void report_result(std::shared_ptr<EffectContext> context, Request request, Permit permit);

}  // namespace finality
