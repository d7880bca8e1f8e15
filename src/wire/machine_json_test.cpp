#include "wire/machine_json.h"

#include <gtest/gtest.h>

#include "fsm/test_light.h"

namespace finality::wire {
namespace {

TEST(MachineJson, HasEveryCell) {
  EXPECT_EQ(machine_json(fsm::view_of(test::light_machine)),
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
