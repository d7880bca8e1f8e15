// What adapters ask now and then for their own sake (a channel's certificates), beside all payments: a failure is
// counted, logged and tried again after a growing pause, and nothing waits for it.
#pragma once

#include <memory>

#include "worker/effects/outside.h"

namespace finality {

/// Looks after every channel with Maintenance from now on, every limits::kUpkeepEvery, until the gate is shut.
/// REQUIRES: called inside the gate.
void begin_upkeep(const std::shared_ptr<Outside>& outside);

/// The pause after `failures` tries in a row that failed; limits::kUpkeepEvery after none.
Duration upkeep_pause(int failures);

}  // namespace finality
