#include "worker/in_flight/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace finality {
namespace {

TEST(Gate, LetsInUntilItIsShut) {
  Gate gate;
  int passed = 0;
  EXPECT_TRUE(gate.pass([&] { EXPECT_TRUE(gate.pass([&] { ++passed; })); }));
  gate.shut();
  EXPECT_FALSE(gate.pass([&] { ++passed; }));
  EXPECT_EQ(passed, 1);
}

TEST(Gate, ShuttingWaitsForWhatIsInside) {
  Gate gate;
  std::promise<void> entered, go_on;
  std::atomic<bool> finished = false;
  auto inside = std::async(std::launch::async, [&] {
    gate.pass([&] {
      entered.set_value();
      go_on.get_future().wait();
      finished = true;
    });
  });
  entered.get_future().wait();
  auto shutting = std::async(std::launch::async, [&] {
    gate.shut();
    return finished.load();
  });
  go_on.set_value();
  EXPECT_TRUE(shutting.get());
}

}  // namespace
}  // namespace finality
