// Brings what came of an effect into the engine. When the engine is busy it is brought again after growing pauses; a
// result is given up only after the last of limits::kResultTriesMax tries, and then its row comes due again by itself.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// The pause after `tries` tries in vain.
Duration result_pause(int tries);

/// Submits the request, whose `reply` is this function's to set. The permit is held until it was decided or given up.
/// REQUIRES: called inside the guard.
void report_result(std::shared_ptr<EffectContext> context, Request request, Permit permit);

}  // namespace finality
