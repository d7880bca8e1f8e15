// EXPECT: machine 'light': state 'green' cannot be reached from 'red'
#include "machine.h"

// No transition leads to green.
constexpr auto machine = [] {
  auto t = a_light();
  t.on(Signal::go, {keep, keep, refuse});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
