// EXPECT: machine 'light': event 'stop' is refused or impossible everywhere
// EXPECT: 最小化
#include "machine.h"

// An event that is refused or impossible everywhere.
constexpr auto machine = [] {
  auto t = a_light();
  t.on(Signal::stop, {refuse, impossible, refuse});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
