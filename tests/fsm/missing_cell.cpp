// EXPECT: machine 'short': no cell for event 'stop' in state 'off'
// EXPECT: 完备性
#include "machine.h"

// A row has one cell fewer than the table has states.
constexpr auto machine = [] {
  using enum Light;
  finality::fsm::Table<Light, Signal, Lamp> t{.name = "short"};
  t.initial(red);
  t.state(red, Lamp::blink);
  t.final_state(off);
  t.on(Signal::go, {move_to(green), keep, refuse});
  t.on(Signal::stop, {keep, move_to(red)});
  t.on(Signal::cut, {move_to(off), move_to(off), keep});
  return t;
}();
FINALITY_CHECK_MACHINE(machine);
