#include "worker/in_flight/shutdown_guard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace finality {
namespace {

TEST(ShutdownGuard, LetsInUntilItIsShut) {
  ShutdownGuard guard;
  int passed = 0;
  EXPECT_TRUE(guard.enter([&] { EXPECT_TRUE(guard.enter([&] { ++passed; })); }));
  guard.close();
  EXPECT_FALSE(guard.enter([&] { ++passed; }));
  EXPECT_EQ(passed, 1);
}

TEST(ShutdownGuard, ShuttingWaitsForWhatIsInside) {
  ShutdownGuard guard;
  std::promise<void> entered, go_on;
  std::atomic<bool> finished = false;
  auto inside = std::async(std::launch::async, [&] {
    guard.enter([&] {
      entered.set_value();
      go_on.get_future().wait();
      finished = true;
    });
  });
  entered.get_future().wait();
  auto shutting = std::async(std::launch::async, [&] {
    guard.close();
    return finished.load();
  });
  go_on.set_value();
  EXPECT_TRUE(shutting.get());
}

}  // namespace
}  // namespace finality
