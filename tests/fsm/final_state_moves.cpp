// EXPECT: machine 'light': final state 'off' moves on event 'go'
// EXPECT: 终态
#include "machine.h"

// A transition leaves a final state.
constexpr auto machine = [] {
  auto t = a_light();
  t.on(Signal::go, {move_to(Light::green), keep, move_to(Light::red)});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
