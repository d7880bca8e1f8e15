// Rate limiter: one token bucket per caller, for one limit. Memory is bounded by limits::kRateBucketsMax.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/limits.h"

namespace finality::http {

/// Token buckets with a common rate and size. A bucket starts full. Thread safe: callers of different shards do not
/// wait for each other. Finding a known bucket allocates no memory.
class RateLimiter {
 public:
  /// A monotonic clock, so that changes of the wall clock neither block nor release callers.
  using Instant = std::chrono::steady_clock::time_point;
  using Wait = std::chrono::nanoseconds;

  /// `per_second`: tokens that a bucket gains per second; 0 means no limit. A bucket holds the tokens of `burst`.
  /// REQUIRES: per_second >= 0, and `burst` is at least the time of one token. `buckets_max`: divided among the shards.
  explicit RateLimiter(std::int64_t per_second, Duration burst, std::size_t buckets_max = limits::kRateBucketsMax);

  /// Takes a token of the caller. Returns 0, or the time until the bucket has a token; then it takes none.
  Wait take(std::uint64_t caller, Instant now);
  /// Returns what take() would return, without taking a token.
  Wait wait(std::uint64_t caller, Instant now) const;
  /// The number of stored buckets. Full buckets need not be stored.
  std::size_t buckets() const;

 private:
  // A bucket is the time at which it is full again (generic cell rate algorithm). Each token taken moves that time by
  // the interval between two tokens. Keys are mixed with a random number, so that callers cannot choose colliding keys.
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    boost::unordered_flat_map<std::uint64_t, Instant> full_at;
  };
  static constexpr std::size_t kShards = 16;

  std::uint64_t mix(std::uint64_t caller) const;
  Wait wait_of(Instant full_at, Instant now) const;
  void make_room(Shard& shard, Instant now) const;

  const Wait interval_;            // between two tokens; 0 without a limit
  const Wait depth_;               // time in which an empty bucket fills
  const std::size_t buckets_max_;  // per shard
  const std::uint64_t seed_;
  std::array<Shard, kShards> shards_;
};

}  // namespace finality::http
