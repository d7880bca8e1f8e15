// EXPECT: machine 'light': event 'stop' moves state 'red' to itself
// EXPECT: 明确性
#include "machine.h"

// A move whose target is its own state.
constexpr auto machine = [] {
  auto t = a_light();
  t.on(Signal::stop, {move_to(Light::red), move_to(Light::red), keep});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
