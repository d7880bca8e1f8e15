// EXPECT: machine 'light': states 'red' and 'green' behave alike
// EXPECT: 最小化
#include "machine.h"

// Red and green have the same due effect and the same cells, so they are one state.
constexpr auto machine = [] {
  auto t = a_light();
  t.state(Light::green, Lamp::blink);
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
