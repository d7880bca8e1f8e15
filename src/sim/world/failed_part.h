// The part of the store that fails: that of one merchant, like a worker of a cluster whose other workers still work.
#pragma once

#include <vector>

#include "model/ids.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// Shared by the sessions of all engines of one simulation run, because they use the same store.
class FailedPart {
 public:
  explicit FailedPart(SimScheduler& scheduler) : scheduler_(scheduler) {}

  /// Whether the part of this merchant fails now.
  bool has_failed(MerchantId merchant) const {
    return merchant == merchant_ && scheduler_.now() < until_ && !scheduler_.faults_stopped();
  }
  /// Returns the merchants whose part fails, of those whose rows a load or a commit uses. Draws before whether the part
  /// of one of them fails from now on, for some seconds (Fault::part_failed). At most one part fails at a time.
  std::vector<MerchantId> failed_of(const std::vector<MerchantId>& merchants);

 private:
  SimScheduler& scheduler_;
  MerchantId merchant_;
  Time until_;  // end of the failure
};

}  // namespace finality::sim
