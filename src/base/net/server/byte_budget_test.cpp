#include "base/net/server/byte_budget.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality::net {
namespace {

TEST(ByteBudgetTest, CountsPerClientAndInTotal) {
  ByteBudget budget(100, 150, [] {});
  ClientBytes one;
  ClientBytes two;
  budget.add(one, 100);
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_TRUE(budget.fits(one, 0));
  EXPECT_FALSE(budget.fits(one, 1));
  budget.add(one, 1);
  EXPECT_TRUE(budget.is_exceeded());
  EXPECT_TRUE(budget.exceeds(one, 1));
  EXPECT_FALSE(budget.exceeds(one, 2));
  EXPECT_FALSE(budget.exceeds(two, 1));
  budget.add(two, 50);
  EXPECT_EQ(budget.used(), 151);
  EXPECT_TRUE(budget.exceeds(two, 1));
  EXPECT_TRUE(budget.fits(two, 50));  // below its share
  budget.remove(one, 101);
  budget.remove(two, 50);
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_EQ(budget.used(), 0);
}

TEST(ByteBudgetTest, ATrustedProxyHasOnlyTheLimitOfTheServer) {
  ByteBudget budget(100, 150, [] {});
  ClientBytes proxy;
  proxy.is_limited = false;
  budget.add(proxy, 150);
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_FALSE(budget.exceeds(proxy, 1));
  EXPECT_FALSE(budget.fits(proxy, 1));
}

TEST(ByteBudgetTest, ReportsWhenALimitIsPassed) {
  int changes = 0;
  ByteBudget budget(100, 1000, [&] { ++changes; });
  ClientBytes client;
  budget.add(client, 100);
  EXPECT_EQ(changes, 0);
  budget.add(client, 1);
  EXPECT_EQ(changes, 1);
  budget.add(client, 98);
  EXPECT_EQ(changes, 1);
  budget.add(client, 2);
  EXPECT_EQ(changes, 2);
  budget.remove(client, 100);
  EXPECT_EQ(changes, 2);
  budget.remove(client, 1);
  EXPECT_EQ(changes, 3);
}

}  // namespace
}  // namespace finality::net
