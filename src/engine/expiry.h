// Deletes expired idempotency records and finished deliveries in bounded steps. A round proceeds from the oldest row to
// the youngest expired one; a pause follows each completed round.
#pragma once

#include "base/time/time.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality {

/// Owned by one lane; not thread safe.
class Expiry {
 public:
  /// `policy` and `counts` outlive this object.
  Expiry(const Policy& policy, EngineCounts& counts) : policy_(policy), counts_(counts) {}

  /// Whether the pause since the last step or round has ended.
  bool is_due(Time now) const { return now >= next_; }
  /// Runs one step. Counts and logs a failure of the store and retries after a pause.
  CommitOutcome step(Session& session, Time now);

 private:
  void restart();

  const Policy& policy_;
  EngineCounts& counts_;
  Time next_;
  IdempotencyRecordId records_after_;
  DeliveryId deliveries_after_;
};

}  // namespace finality
