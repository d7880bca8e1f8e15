#include "wire/machine_json.h"

#include <gtest/gtest.h>

namespace finality::wire {
namespace {

enum class Light : std::uint8_t { red, green, off };
BOOST_DESCRIBE_ENUM(Light, red, green, off)
enum class Signal : std::uint8_t { go, stop, cut };
BOOST_DESCRIBE_ENUM(Signal, go, stop, cut)
enum class Lamp : std::uint8_t { none, blink };
BOOST_DESCRIBE_ENUM(Lamp, none, blink)

constexpr auto light_machine = [] {
  using enum Light;
  using namespace fsm;
  Table<Light, Signal, Lamp> t{.name = "light", .title = "灯"};
  t.initial(red);
  t.state(red, Lamp::blink);
  t.final_state(off);
  //                    red                                  green         off
  t.on(Signal::go, {move_to(green), keep, fsm::refuse});
  t.on(Signal::stop, {keep, move_to(red), keep + Actions::open_case});
  t.on(Signal::cut, {move_to(off) + Actions::reverse + Actions::open_case, move_to(off), impossible});
  return t;
}();

TEST(MachineJson, HasEveryCell) {
  EXPECT_EQ(machine_json(fsm::view_of(light_machine)),
            R"({"machine":"light","states":[{"name":"red","final":false,"due_effect":"blink"},)"
            R"({"name":"green","final":false,"due_effect":null},{"name":"off","final":true,"due_effect":null}],)"
            R"("events":["go","stop","cut"],"cells":[)"
            R"({"state":"red","event":"go","cell":"move","to":"green","actions":[]},)"
            R"({"state":"red","event":"stop","cell":"keep","actions":[]},)"
            R"({"state":"red","event":"cut","cell":"move","to":"off","actions":["reverse","case"]},)"
            R"({"state":"green","event":"go","cell":"keep","actions":[]},)"
            R"({"state":"green","event":"stop","cell":"move","to":"red","actions":[]},)"
            R"({"state":"green","event":"cut","cell":"move","to":"off","actions":[]},)"
            R"({"state":"off","event":"go","cell":"refuse","actions":[]},)"
            R"({"state":"off","event":"stop","cell":"keep","actions":["case"]},)"
            R"({"state":"off","event":"cut","cell":"impossible","actions":[]}]})");
}

}  // namespace
}  // namespace finality::wire
