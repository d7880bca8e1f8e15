// Deletes expired idempotency records, finished deliveries and files of statements in bounded steps. A round proceeds
// from the oldest to the youngest expired row, and is followed by a pause.
#pragma once

#include "base/limits.h"
#include "base/time/time.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality {

/// The state of the deletion: position of the current round and time of the next step. Owned by one lane; not thread
/// safe.
class Expiry {
 public:
  /// `policy` and `counts` outlive this object.
  Expiry(const Policy& policy, EngineCounts& counts) : policy_(policy), counts_(counts) {}

  /// Whether the pause after the last step or round has ended. It has also ended if the clock was set back by more than
  /// any pause.
  bool is_due(Time now) const { return now >= next_ || next_ - now > limits::kExpireAgainAfter; }
  /// Examines at most limits::kExpiredPerStep rows of each kind and deletes the expired rows. Returns the outcome of
  /// the commit. A failure of the store is counted and logged, and a new round starts after a pause.
  CommitOutcome step(Session& session, Time now);

 private:
  void restart();

  const Policy& policy_;
  EngineCounts& counts_;
  Time next_;
  IdempotencyRecordId records_after_;
  DeliveryId deliveries_after_;
  StatementId files_after_;
};

}  // namespace finality
