#include "base/id.h"

#include <algorithm>

#include "base/check.h"

namespace finality {
namespace {

// A lane creates the ids of a batch before it commits them. It has this long until a commit records the next instant.
constexpr Duration kReservedBeyondClock = std::chrono::seconds(10);
// At least four million ids between two commits.
constexpr Duration kReservedBeyondIds = std::chrono::seconds(1);

}  // namespace

IdGenerator::IdGenerator(std::int64_t node, Time not_before)
    : node_(node), ms_(std::max<std::int64_t>(0, not_before.ms - kIdEpochMs) + 1), clock_ms_(0) {
  FINALITY_CHECK(node >= 0 && node < kIdNodesMax, "node number does not fit in ten bits");
}

void IdGenerator::advance(Time now) {
  const std::int64_t ms = now.ms - kIdEpochMs;
  clock_ms_ = ms;
  if (ms <= ms_) return;
  ms_ = ms;
  number_ = 0;
}

void IdGenerator::exceed(std::int64_t id) {
  if (((ms_ << kIdNodeBits | node_) << kIdNumberBits | number_) > id) return;
  ms_ = (id >> (kIdNodeBits + kIdNumberBits)) + 1;
  number_ = 0;
}

Time IdGenerator::reserved_until() const {
  return {std::max(ms_ + kReservedBeyondIds.count(), clock_ms_ + kReservedBeyondClock.count()) + kIdEpochMs};
}

std::int64_t IdGenerator::next() {
  if (number_ >> kIdNumberBits != 0) {
    ++ms_;
    number_ = 0;
  }
  return (ms_ << kIdNodeBits | node_) << kIdNumberBits | number_++;
}

}  // namespace finality
