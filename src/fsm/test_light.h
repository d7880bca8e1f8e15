// A small state machine with every kind of cell, for tests of View and its output formats.
#pragma once

#include "fsm/check.h"
#include "fsm/table.h"

namespace finality::test {

enum class Light : std::uint8_t { red, green, off };
BOOST_DESCRIBE_ENUM(Light, red, green, off)
enum class Signal : std::uint8_t { go, stop, cut };
BOOST_DESCRIBE_ENUM(Signal, go, stop, cut)
enum class Lamp : std::uint8_t { none, blink };
BOOST_DESCRIBE_ENUM(Lamp, none, blink)

inline constexpr auto light_machine = [] {
  using enum Light;
  using namespace fsm;
  Table<Light, Signal, Lamp> t{.name = "light", .title = "灯"};
  t.initial(red);
  t.state(red, Lamp::blink);
  t.final_state(off);
  // The cells of a row are in the order of the states: red, green, off.
  t.on(Signal::go, {move_to(green), keep, fsm::refuse});
  t.on(Signal::stop, {keep, move_to(red), keep + Actions::open_case});
  t.on(Signal::cut, {move_to(off) + Actions::reverse + Actions::open_case, move_to(off), impossible});
  return t;
}();

}  // namespace finality::test
