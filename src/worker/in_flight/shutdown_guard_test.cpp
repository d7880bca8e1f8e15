#include "worker/in_flight/shutdown_guard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

namespace finality {
namespace {

TEST(ShutdownGuard, AdmitsUntilItIsClosed) {
  ShutdownGuard guard;
  int passed = 0;
  EXPECT_TRUE(guard.enter([&] { EXPECT_TRUE(guard.enter([&] { ++passed; })); }));
  guard.close();
  EXPECT_FALSE(guard.enter([&] { ++passed; }));
  EXPECT_EQ(passed, 1);
}

TEST(ShutdownGuard, ClosingWaitsForTheWorkInside) {
  ShutdownGuard guard;
  std::promise<void> entered, resume;
  std::atomic<bool> finished = false;
  auto inside = std::async(std::launch::async, [&] {
    guard.enter([&] {
      entered.set_value();
      resume.get_future().wait();
      finished = true;
    });
  });
  entered.get_future().wait();
  auto shutting = std::async(std::launch::async, [&] {
    guard.close();
    return finished.load();
  });
  resume.set_value();
  EXPECT_TRUE(shutting.get());
}

TEST(ShutdownGuard, WorkThatThrowsLeavesTheGuard) {
  const auto guard = std::make_shared<ShutdownGuard>();  // shared with the thread, which can outlive a failed test
  EXPECT_THROW(guard->enter([] { throw std::runtime_error("work failed"); }), std::runtime_error);
  const auto fail_inside = [&] { guard->enter([] { throw std::runtime_error("inner work failed"); }); };
  EXPECT_THROW(guard->enter(fail_inside), std::runtime_error);
  int passed = 0;
  EXPECT_TRUE(guard->enter([&] { ++passed; }));
  EXPECT_EQ(passed, 1);

  const auto shut = std::make_shared<std::promise<void>>();
  std::future<void> is_shut = shut->get_future();
  std::thread([guard, shut] {
    guard->close();
    shut->set_value();
  }).detach();
  EXPECT_EQ(is_shut.wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

}  // namespace
}  // namespace finality
