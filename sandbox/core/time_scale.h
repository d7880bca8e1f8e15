// Delays of simulated channels that a sandbox shortens by its time scale. Pure.
#pragma once

#include "base/time/time.h"

namespace finality::sandbox {

/// Returns `delay` divided by `time_scale`, rounded to milliseconds. REQUIRES: `time_scale` is greater than 0.
Duration scaled(Duration delay, double time_scale);

}  // namespace finality::sandbox
