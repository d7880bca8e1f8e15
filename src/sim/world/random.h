// Pseudo-random number generator (SplitMix64): one seed gives the same sequence on every machine. The seed is hashed
// first, because consecutive seeds would otherwise produce shifted copies of one sequence.
#pragma once

#include <cstdint>

#include "base/time/time.h"

namespace finality::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mixed(mixed(seed + 1) ^ 0x1234567u)) {}

  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15u); }
  /// Returns an integer from 0 to `count` - 1. REQUIRES: `count` > 0.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }
  /// Returns an integer from `least` to `most`, both inclusive.
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + below(most - least + 1); }
  bool chance(int per_mille) { return below(1000) < per_mille; }
  Duration between(Duration least, Duration most) { return Duration{between(least.count(), most.count())}; }
  /// Returns a duration from `least` to `most`, with a logarithmic distribution: each power of two in this range is
  /// equally likely.
  Duration spread(Duration least, Duration most) {
    std::int64_t ceiling = least.count() > 0 ? least.count() : 1;
    const auto doublings = [&] {
      int count = 0;
      for (std::int64_t at = ceiling; at < most.count(); at *= 2) ++count;
      return count;
    }();
    for (std::int64_t i = below(doublings + 1); i > 0; --i) ceiling *= 2;
    return between(least, std::min(Duration{ceiling}, most));
  }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace finality::sim
