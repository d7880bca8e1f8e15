#include "sandbox/core/time_scale.h"

#include <cmath>

namespace finality::sandbox {

Duration scaled(Duration delay, double time_scale) {
  return Duration{std::llround(static_cast<double>(delay.count()) / time_scale)};
}

}  // namespace finality::sandbox
