// The enums of the tables in this folder, and a valid table: a light. Each file breaks one rule.
#pragma once

#include "fsm/check.h"
#include "fsm/table.h"

enum class Light : std::uint8_t { red, green, off };
BOOST_DESCRIBE_ENUM(Light, red, green, off)
enum class Signal : std::uint8_t { go, stop, cut };
BOOST_DESCRIBE_ENUM(Signal, go, stop, cut)
enum class Lamp : std::uint8_t { none, blink };
BOOST_DESCRIBE_ENUM(Lamp, none, blink)

using finality::fsm::impossible;
using finality::fsm::keep;
using finality::fsm::move_to;
using finality::fsm::refuse;

/// Two states with different due effects, and a final one.
constexpr finality::fsm::Table<Light, Signal, Lamp> a_light() {
  finality::fsm::Table<Light, Signal, Lamp> t{.name = "light"};
  t.initial(Light::red);
  t.state(Light::red, Lamp::blink);
  t.final_state(Light::off);
  //                 red                   green                off
  t.on(Signal::go, {move_to(Light::green), keep, refuse});
  t.on(Signal::stop, {keep, move_to(Light::red), keep});
  t.on(Signal::cut, {move_to(Light::off), move_to(Light::off), keep});
  return t;
}
