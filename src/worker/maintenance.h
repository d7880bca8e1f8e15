// Performs the periodic requests of channel adapters, for example to download certificates. They are independent of
// payments. Failures are counted and logged, and the request is repeated after an increasing pause.
#pragma once

#include <memory>

#include "worker/effects/effect_context.h"

namespace finality {

/// Starts the maintenance of all channels that implement Maintenance: every limits::kMaintenanceEvery, until the guard
/// is closed. Returns immediately. REQUIRES: called inside the guard.
void begin_maintenance(const std::shared_ptr<EffectContext>& context);

/// Returns the pause before the next request after `failures` consecutive failures. It doubles with each failure, from
/// limits::kMaintenanceEvery to limits::kMaintenancePauseMax.
Duration maintenance_pause(int failures);

}  // namespace finality
