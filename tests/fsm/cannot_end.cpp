// EXPECT: machine 'light': state 'green' can never reach a final state
// EXPECT: 终态
#include "machine.h"

// Green has only transitions to itself, so it cannot reach a final state.
constexpr auto machine = [] {
  auto t = a_light();
  t.on(Signal::stop, {keep, keep, keep});
  t.on(Signal::cut, {move_to(Light::off), keep, keep});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
