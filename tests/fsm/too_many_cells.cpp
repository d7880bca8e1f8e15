// EXPECT: constexpr variable 'machine' must be initialized by a constant expression
#include "machine.h"

// A row has one cell more than the table has states.
constexpr auto machine = [] {
  auto t = a_light();
  t.on(Signal::go, {move_to(Light::green), keep, refuse, refuse});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
