#include "base/id.h"

#include <algorithm>

#include "base/check.h"

namespace finality {

IdGenerator::IdGenerator(std::int64_t node, Time not_before)
    : node_(node), ms_(std::max<std::int64_t>(0, not_before.ms - kIdEpochMs) + 1) {
  FINALITY_CHECK(node >= 0 && node < kIdNodesMax, "node number does not fit in ten bits");
}

void IdGenerator::advance(Time now) {
  const std::int64_t ms = now.ms - kIdEpochMs;
  if (ms <= ms_) return;
  ms_ = ms;
  number_ = 0;
}

void IdGenerator::exceed(std::int64_t id) {
  if (((ms_ << kIdNodeBits | node_) << kIdNumberBits | number_) > id) return;
  ms_ = (id >> (kIdNodeBits + kIdNumberBits)) + 1;
  number_ = 0;
}

std::int64_t IdGenerator::next() {
  if (number_ >> kIdNumberBits != 0) {
    ++ms_;
    number_ = 0;
  }
  return (ms_ << kIdNodeBits | node_) << kIdNumberBits | number_++;
}

}  // namespace finality
