#include "http/server/rate_limiter.h"

#include <gtest/gtest.h>

namespace finality::http {
namespace {

using namespace std::chrono_literals;

constexpr RateLimiter::Instant kStart{1'000'000s};
constexpr std::uint64_t kCaller = 7;
constexpr std::uint64_t kOther = 8;

TEST(RateLimiter, ABucketHoldsTheTokensOfItsBurst) {
  RateLimiter limiter(10, 2s);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(limiter.take(kCaller, kStart), 0ns) << i;
  EXPECT_EQ(limiter.take(kCaller, kStart), 100ms);
  EXPECT_EQ(limiter.take(kOther, kStart), 0ns);
}

TEST(RateLimiter, AnEmptyBucketFillsWithTime) {
  struct Row {
    std::chrono::nanoseconds pause;
    int tokens;
  };
  for (const Row& row : {Row{0ns, 0}, Row{99ms, 0}, Row{100ms, 1}, Row{250ms, 2}, Row{2s, 20}, Row{24h, 20}}) {
    RateLimiter limiter(10, 2s);
    while (limiter.take(kCaller, kStart) == 0ns) {
    }
    int tokens = 0;
    while (limiter.take(kCaller, kStart + row.pause) == 0ns) ++tokens;
    EXPECT_EQ(tokens, row.tokens) << row.pause.count();
  }
}

TEST(RateLimiter, ARefusedCallTakesNoToken) {
  RateLimiter limiter(10, 2s);
  while (limiter.take(kCaller, kStart) == 0ns) {
  }
  for (int i = 0; i < 1000; ++i) limiter.take(kCaller, kStart + 50ms);
  EXPECT_EQ(limiter.take(kCaller, kStart + 60ms), 40ms);
  EXPECT_EQ(limiter.take(kCaller, kStart + 100ms), 0ns);
}

TEST(RateLimiter, WaitReportsTheTimeUntilTheNextTokenWithoutTakingOne) {
  RateLimiter limiter(1, 1s);
  EXPECT_EQ(limiter.wait(kCaller, kStart), 0ns);
  EXPECT_EQ(limiter.wait(kCaller, kStart), 0ns);
  EXPECT_EQ(limiter.take(kCaller, kStart), 0ns);
  EXPECT_EQ(limiter.wait(kCaller, kStart), 1s);
  EXPECT_EQ(limiter.wait(kCaller, kStart + 300ms), 700ms);
  EXPECT_EQ(limiter.wait(kCaller, kStart + 1s), 0ns);
}

TEST(RateLimiter, RateZeroMeansNoLimit) {
  RateLimiter limiter(0, 2s);
  for (int i = 0; i < 100'000; ++i) ASSERT_EQ(limiter.take(kCaller, kStart), 0ns);
  EXPECT_EQ(limiter.buckets(), 0u);
}

TEST(RateLimiter, StoresABoundedNumberOfBuckets) {
  constexpr std::size_t kBucketsMax = 1024;
  RateLimiter limiter(1, 2s, kBucketsMax);
  for (std::uint64_t caller = 0; caller < 100 * kBucketsMax; ++caller) limiter.take(caller, kStart);
  EXPECT_LE(limiter.buckets(), kBucketsMax);
}

// The shards of the callers are random. The numbers leave room for any distribution that can occur.
TEST(RateLimiter, FullBucketsMakeRoomAndEmptyBucketsStay) {
  constexpr std::size_t kBucketsMax = 16'384;
  RateLimiter limiter(1, 2s, kBucketsMax);
  for (std::uint64_t caller = 0; caller < 15'000; ++caller) limiter.take(100'000 + caller, kStart);
  const RateLimiter::Instant later = kStart + 1s;  // these buckets are full again
  while (limiter.take(kCaller, later) == 0ns) {
  }
  for (std::uint64_t caller = 0; caller < 4'000; ++caller) limiter.take(200'000 + caller, later);
  EXPECT_GT(limiter.take(kCaller, later), 0ns);
  EXPECT_LE(limiter.buckets(), kBucketsMax);
}

}  // namespace
}  // namespace finality::http
