#include "store/cache/lru_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <optional>
#include <random>
#include <utility>

namespace finality::store {
namespace {

TEST(LruCache, AFullCacheEvictsTheLeastRecentlyUsedRow) {
  LruCache<int, int> recent(3);
  recent.put(1, 10);
  recent.put(2, 20);
  recent.put(3, 30);
  EXPECT_EQ(*recent.find(1), 10);
  recent.put(2, 21);
  recent.put(4, 40);  // evicts key 3
  EXPECT_FALSE(recent.has(3));
  recent.put(5, 50);  // evicts key 1
  EXPECT_FALSE(recent.has(1));
  EXPECT_EQ(*recent.find(2), 21);
  EXPECT_EQ(*recent.find(4), 40);
  EXPECT_EQ(*recent.find(5), 50);
}

TEST(LruCache, TakenRowsLeaveRoomForOthers) {
  LruCache<int, int> recent(2);
  recent.put(1, 10);
  recent.put(2, 20);
  recent.take(2);
  recent.put(3, 30);
  EXPECT_TRUE(recent.has(1));
  recent.clear();
  EXPECT_FALSE(recent.has(1));
  recent.put(1, 11);
  EXPECT_EQ(*recent.find(1), 11);
}

TEST(LruCache, TakeRemovesTheRow) {
  LruCache<int, int> recent(4);
  recent.put(1, 10);
  EXPECT_EQ(recent.take(1), 10);
  EXPECT_EQ(recent.take(1), std::nullopt);
  EXPECT_FALSE(recent.has(1));
}

TEST(LruCache, MatchesAReferenceListUnderRandomOperations) {
  constexpr std::size_t kMost = 8;
  LruCache<int, int> recent(kMost);
  std::list<std::pair<int, int>> rows;  // keys and values, least recently used first
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const int key = static_cast<int>(random() % 12);
    const auto at = std::ranges::find(rows, key, &std::pair<int, int>::first);
    ASSERT_EQ(recent.has(key), at != rows.end());
    switch (random() % 5) {
      case 0:
      case 1:
        recent.put(key, i);
        if (at != rows.end()) rows.erase(at);
        rows.emplace_back(key, i);
        if (rows.size() > kMost) rows.pop_front();
        break;
      case 2:
        ASSERT_EQ(recent.take(key), at != rows.end() ? std::optional(at->second) : std::nullopt);
        if (at != rows.end()) rows.erase(at);
        break;
      case 3:
        if (const int* row = recent.find(key)) {
          ASSERT_EQ(*row, at->second);
          rows.splice(rows.end(), rows, at);
        }
        break;
      default:
        recent.forget(key);
        if (at != rows.end()) rows.erase(at);
    }
  }
}

}  // namespace
}  // namespace finality::store
