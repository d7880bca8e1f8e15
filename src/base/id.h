// 64-bit ids that sort by time (发号器).
//
//   63        22 21     12 11      0
//   [ milliseconds ][ node ][ number ]     milliseconds since 2024-01-01, 41 bits: enough until 2093
//
// `node` is a node number and `number` a sequence number within one millisecond. The node number is leased from the
// store and fenced inside each commit, so two writers never share a node number. The store keeps the instant up to
// which ids may have been assigned, so a restart after a clock rollback does not repeat an id.
//
// The instant of an id is never before the created_at of its row, and can be later: the instants never decrease, while
// created_at follows a clock that was set back (docs/adr/0051-time-and-ids.md). They then advance by a millisecond per
// 4096 ids until the clock has reached them.
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

/// The creation instant that an id contains.
constexpr Time time_of_id(std::int64_t id) { return {(id >> (kIdNodeBits + kIdNumberBits)) + kIdEpochMs}; }

/// The number of the node that created an id.
constexpr std::int64_t node_of_id(std::int64_t id) { return (id >> kIdNumberBits) & (kIdNodesMax - 1); }

/// The smallest id that any node can create at `at`; kLargestId if `at` is beyond the range of ids.
constexpr std::int64_t first_id_at(Time at) {
  if (at.ms <= kIdEpochMs) return 0;
  return at.ms > time_of_id(kLargestId).ms ? kLargestId : (at.ms - kIdEpochMs) << (kIdNodeBits + kIdNumberBits);
}

/// Generates the ids of one node number. Not thread safe: each lane has its own generator.
class IdGenerator {
 public:
  /// REQUIRES: 0 <= node < kIdNodesMax. All ids have a creation instant after `not_before`.
  IdGenerator(std::int64_t node, Time not_before);

  /// Sets the creation instant of further ids to `now`. Ignores a time that is earlier than the current instant.
  void advance(Time now);
  /// Makes all further ids greater than `id`. A node calls this when it takes over the merchants of another node, which
  /// created `id`. New ids must be greater than existing ids even if the clock of the new node is behind.
  void exceed(std::int64_t id);
  /// Returns the next id, greater than all previous ids. Ids beyond 4096 per millisecond use the following millisecond.
  std::int64_t next();
  /// The current instant: no id returned so far contains a later one.
  Time latest() const { return {ms_ + kIdEpochMs}; }
  /// The instant that a store records with each commit: the ids that are created until the next commit contain no later
  /// one. The next holder of the node number creates only later ids. While the ids lead the clock, less is reserved, so
  /// that restarts do not let them lead more and more.
  Time reserved_until() const;

 private:
  std::int64_t node_;
  std::int64_t ms_;        // milliseconds since kIdEpochMs
  std::int64_t clock_ms_;  // the last time passed to advance(), also if it was ignored
  std::int64_t number_ = 0;
};

}  // namespace finality
