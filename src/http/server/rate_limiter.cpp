#include "http/server/rate_limiter.h"

#include <algorithm>
#include <cstring>

#include "base/crypto/random.h"

namespace finality::http {
namespace {

using namespace std::chrono_literals;

constexpr int kShardBits = 4;

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  const std::string bytes = random_bytes(sizeof seed);
  std::memcpy(&seed, bytes.data(), sizeof seed);
  return seed;
}

RateLimiter::Wait interval_of(std::int64_t per_second) {
  return per_second == 0 ? RateLimiter::Wait(0) : RateLimiter::Wait(1s) / per_second;
}

}  // namespace

RateLimiter::RateLimiter(std::int64_t per_second, Duration burst, std::size_t buckets_max)
    : interval_(interval_of(per_second)),
      depth_(burst),
      buckets_max_(std::max<std::size_t>(buckets_max / kShards, 1)),
      seed_(random_seed()) {
  static_assert(kShards == 1 << kShardBits);
}

RateLimiter::Wait RateLimiter::take(std::uint64_t caller, Instant now) {
  if (interval_ == 0ns) return 0ns;
  const std::uint64_t key = mix(caller);
  Shard& shard = shards_[key >> (64 - kShardBits)];
  const std::lock_guard lock(shard.mutex);
  auto at = shard.full_at.find(key);
  if (at == shard.full_at.end()) {
    if (shard.full_at.size() >= buckets_max_) make_room(shard, now);
    at = shard.full_at.emplace(key, now).first;
  }
  const Wait wait = wait_of(at->second, now);
  if (wait == 0ns) at->second = std::max(at->second, now) + interval_;
  return wait;
}

RateLimiter::Wait RateLimiter::wait(std::uint64_t caller, Instant now) const {
  if (interval_ == 0ns) return 0ns;
  const std::uint64_t key = mix(caller);
  const Shard& shard = shards_[key >> (64 - kShardBits)];
  const std::lock_guard lock(shard.mutex);
  const auto at = shard.full_at.find(key);
  return at == shard.full_at.end() ? 0ns : wait_of(at->second, now);
}

std::size_t RateLimiter::buckets() const {
  std::size_t count = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    count += shard.full_at.size();
  }
  return count;
}

// The finalizer of SplitMix64. It is a bijection, so different callers have different keys.
std::uint64_t RateLimiter::mix(std::uint64_t caller) const {
  std::uint64_t z = caller ^ seed_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

RateLimiter::Wait RateLimiter::wait_of(Instant full_at, Instant now) const {
  return std::max<Wait>(std::max(full_at, now) + interval_ - now - depth_, 0ns);
}

// Removes the full buckets, which are equal to new ones. If most buckets are not full, removes all: that many callers
// at once are not limited one by one, and removing few would repeat this search at each request.
void RateLimiter::make_room(Shard& shard, Instant now) const {
  erase_if(shard.full_at, [now](const auto& bucket) { return bucket.second <= now; });
  if (shard.full_at.size() > buckets_max_ / 2) shard.full_at.clear();
}

}  // namespace finality::http
