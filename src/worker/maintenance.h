// Performs the periodic requests of channel adapters (certificates), separately from payments. Failures are counted,
// logged and retried after a growing pause. No payment waits for them.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// From now on, checks every channel with Maintenance every limits::kMaintenanceEvery, until the guard is closed.
/// REQUIRES: called inside the guard.
void begin_maintenance(const std::shared_ptr<EffectContext>& context);

/// The pause after `failures` consecutive failures; limits::kMaintenanceEvery after zero.
Duration maintenance_pause(int failures);

}  // namespace finality
