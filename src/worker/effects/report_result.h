// Submits the result of an effect to the engine. While the engine is busy, retries after growing pauses. After
// limits::kResultTriesMax tries the result is dropped, and its row becomes due again automatically.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Returns the pause after `tries` unsuccessful tries.
Duration result_pause(int tries);

/// Submits the request and sets its `reply`. Holds the permit until the engine has executed or refused the request, or
/// until the request is dropped. REQUIRES: called inside the guard.
void report_result(std::shared_ptr<EffectContext> context, Request request, Permit permit);

}  // namespace finality
