// 64-bit ids that sort by time (发号器).
//
//   63        22 21     12 11      0
//   [ milliseconds ][ node ][ number ]     milliseconds since 2024-01-01, 41 bits: enough until 2093
//
// The node number is leased from the store and fenced inside each commit, so two writers never share one. The clock is
// never followed backwards, and the store keeps the instant up to which ids may have been handed out, so a restart
// after a clock rollback does not repeat one.
#pragma once

#include <cstdint>
#include <limits>

#include "base/time/time.h"

namespace finality {

inline constexpr std::int64_t kIdEpochMs = 1'704'067'200'000;  // 2024-01-01T00:00:00Z
inline constexpr int kIdNodeBits = 10;
inline constexpr int kIdNumberBits = 12;
inline constexpr std::int64_t kIdNodesMax = 1 << kIdNodeBits;
inline constexpr std::int64_t kLargestId = std::numeric_limits<std::int64_t>::max();

/// The instant an id was made.
constexpr Time time_of_id(std::int64_t id) { return {(id >> (kIdNodeBits + kIdNumberBits)) + kIdEpochMs}; }

/// The node number an id was made under.
constexpr std::int64_t node_of_id(std::int64_t id) { return (id >> kIdNumberBits) & (kIdNodesMax - 1); }

/// The smallest id that can be made at `at`, on any node; kLargestId at an instant that no id can carry.
constexpr std::int64_t first_id_at(Time at) {
  if (at.ms <= kIdEpochMs) return 0;
  return at.ms > time_of_id(kLargestId).ms ? kLargestId : (at.ms - kIdEpochMs) << (kIdNodeBits + kIdNumberBits);
}

/// Hands out the ids of one node number. Not thread safe: each lane has its own.
class IdGenerator {
 public:
  /// REQUIRES: 0 <= node < kIdNodesMax. No id at or before `not_before` is handed out.
  IdGenerator(std::int64_t node, Time not_before);

  /// Moves the time on; a time before the last one is ignored.
  void advance(Time now);
  /// Makes all further ids larger than `id`, which another node made: whoever goes on with its work must not be sorted
  /// before it, whatever the two clocks say.
  void exceed(std::int64_t id);
  /// The next id, larger than all before. When a millisecond is used up the next one is borrowed.
  std::int64_t next();
  /// The latest instant any id so far carries.
  Time latest() const { return {ms_ + kIdEpochMs}; }

 private:
  std::int64_t node_;
  std::int64_t ms_;  // since kIdEpochMs
  std::int64_t number_ = 0;
};

}  // namespace finality
