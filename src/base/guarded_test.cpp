#include "base/guarded.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace finality {
namespace {

TEST(Guarded, NoChangeOfAnyThreadIsLost) {
  constexpr int kThreads = 4;
  constexpr int kChanges = 10'000;
  Guarded<int> count;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&] {
        for (int k = 0; k < kChanges; ++k) count.with([](int& value) { ++value; });
      });
  }
  EXPECT_EQ(count.get(), kThreads * kChanges);
}

TEST(Guarded, WithReturnsTheResultOfItsCallback) {
  Guarded<std::vector<int>> list(std::vector<int>{1, 2});
  EXPECT_EQ(list.with([](std::vector<int>& values) { return values.size(); }), 2U);
  EXPECT_EQ(list.get(), (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace finality
