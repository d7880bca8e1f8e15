// What adapters ask now and then for their own sake (a channel's certificates), beside all payments: a failure is
// counted, logged and tried again after a growing pause, and nothing waits for it.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Looks after every channel with Maintenance from now on, every limits::kMaintenanceEvery, until the guard is closed.
/// REQUIRES: called inside the guard.
void begin_maintenance(const std::shared_ptr<EffectContext>& context);

/// The pause after `failures` tries in a row that failed; limits::kMaintenanceEvery after none.
Duration maintenance_pause(int failures);

}  // namespace finality
