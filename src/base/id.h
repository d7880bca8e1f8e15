// 64-bit ids that sort by time (发号器).
//
//   63        22 21     12 11      0
//   [ milliseconds ][ node ][ number ]     milliseconds since 2024-01-01, 41 bits: enough until 2093
//
// `node` is a node number and `number` a sequence number within one millisecond. The node number is leased from the
// store and fenced inside each commit, so two writers never share a node number. The generator never follows a clock
// backwards. The store keeps the instant up to which ids may have been assigned, so a restart after a clock rollback
// does not repeat an id.
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

/// The instant at which an id was created.
constexpr Time time_of_id(std::int64_t id) { return {(id >> (kIdNodeBits + kIdNumberBits)) + kIdEpochMs}; }

/// The node number that created an id.
constexpr std::int64_t node_of_id(std::int64_t id) { return (id >> kIdNumberBits) & (kIdNodesMax - 1); }

/// The smallest id that any node can create at `at`; kLargestId if `at` is beyond the range of ids.
constexpr std::int64_t first_id_at(Time at) {
  if (at.ms <= kIdEpochMs) return 0;
  return at.ms > time_of_id(kLargestId).ms ? kLargestId : (at.ms - kIdEpochMs) << (kIdNodeBits + kIdNumberBits);
}

/// Generates the ids of one node number. Not thread safe: each lane has its own.
class IdGenerator {
 public:
  /// REQUIRES: 0 <= node < kIdNodesMax. The generator returns no id at or before `not_before`.
  IdGenerator(std::int64_t node, Time not_before);

  /// Advances the time. Ignores a time before the current one.
  void advance(Time now);
  /// Makes all further ids greater than `id`, which another node created. A node that takes over that node's merchants
  /// must create greater ids, even when its own clock is behind.
  void exceed(std::int64_t id);
  /// Returns the next id, larger than all before. Ids beyond 4096 per millisecond use the following millisecond.
  std::int64_t next();
  /// The latest instant that any id so far carries.
  Time latest() const { return {ms_ + kIdEpochMs}; }

 private:
  std::int64_t node_;
  std::int64_t ms_;  // since kIdEpochMs
  std::int64_t number_ = 0;
};

}  // namespace finality
