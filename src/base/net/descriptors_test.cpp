#include "base/net/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace finality::net {
namespace {

class DescriptorsTest : public testing::Test {
 protected:
  DescriptorsTest() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~DescriptorsTest() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  void set_soft_limit(rlim_t limit) const {
    const rlimit lower{.rlim_cur = limit, .rlim_max = before_.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &lower), 0);
  }
  static rlim_t soft_limit() {
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    return now.rlim_cur;
  }

  rlimit before_{};
};

TEST_F(DescriptorsTest, TheSoftLimitIsRaisedToTwiceTheConnections) {
  ASSERT_GE(before_.rlim_max, 400U);
  set_soft_limit(100);
  EXPECT_EQ(connections_allowed(200), 200U);
  EXPECT_EQ(soft_limit(), 400U);
}

TEST_F(DescriptorsTest, ALimitThatIsEnoughStays) {
  set_soft_limit(100);
  EXPECT_EQ(connections_allowed(50), 50U);
  EXPECT_EQ(connections_allowed(20), 20U);
  EXPECT_EQ(soft_limit(), 100U);
}

}  // namespace
}  // namespace finality::net
