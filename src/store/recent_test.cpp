#include "store/recent.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace finality::store {
namespace {

TEST(Recent, WhatIsUsedStaysAndTheRestGoes) {
  Recent<int, int> recent(4);
  recent.put(1, 10);
  recent.put(2, 20);
  recent.put(3, 30);  // 1 and 2 are old now
  EXPECT_NE(recent.find(1), nullptr);
  recent.put(4, 40);  // 3 and 1 are, and 2 is gone
  EXPECT_FALSE(recent.has(2));
  EXPECT_EQ(*recent.find(1), 10);
  EXPECT_EQ(*recent.find(4), 40);
}

TEST(Recent, WhatIsTakenIsGone) {
  Recent<int, int> recent(4);
  recent.put(1, 10);
  EXPECT_EQ(recent.take(1), 10);
  EXPECT_EQ(recent.take(1), std::nullopt);
  EXPECT_FALSE(recent.has(1));
}

// An old row must not show through when the new one was taken.
TEST(Recent, IsAMapThatForgets) {
  Recent<int, int> recent(8);
  std::map<int, int> last;  // what was put last under each key, unless it was taken or forgotten since
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const int key = static_cast<int>(random() % 12);
    switch (random() % 5) {
      case 0:
      case 1:
        recent.put(key, i);
        last[key] = i;
        break;
      case 2:
        if (const auto row = recent.take(key)) ASSERT_EQ(*row, last.at(key));
        last.erase(key);
        break;
      case 3:
        if (const int* row = recent.find(key)) ASSERT_EQ(*row, last.at(key));
        break;
      default:
        recent.forget(key);
        last.erase(key);
    }
    ASSERT_TRUE(!recent.has(key) || last.contains(key));
  }
}

}  // namespace
}  // namespace finality::store
