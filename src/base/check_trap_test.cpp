// Tests of failed checks: they abort the process, except while the thread has a trap.
#include "base/check_trap.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "base/check.h"

namespace finality {
namespace {

struct Failed {
  std::string message;
};

void check(bool condition) { FINALITY_CHECK(condition, "the sum is right"); }

TEST(CheckTrap, TurnsAFailedCheckOfItsThreadIntoAnException) {
  const CheckTrap trap([](std::string message) { throw Failed{std::move(message)}; });
  check(true);
  try {
    check(false);
    FAIL() << "the check must fail";
  } catch (const Failed& failed) {
    EXPECT_TRUE(failed.message.contains("the sum is right (condition)")) << failed.message;
  }
}

TEST(CheckTrap, LeavesTheChecksOfOtherThreadsAlone) {
  const CheckTrap trap([](std::string message) { throw Failed{std::move(message)}; });
  EXPECT_DEATH(std::thread([] { check(false); }).join(), "check failed: the sum is right");
}

TEST(CheckTrap, EndsWithItsLife) {
  {
    const CheckTrap trap([](std::string message) { throw Failed{std::move(message)}; });
  }
  EXPECT_DEATH(check(false), "check failed: the sum is right");
}

}  // namespace
}  // namespace finality
