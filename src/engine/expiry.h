// What was kept long enough goes, a small step at a time: idempotency records and finished deliveries. Rounds go from
// the oldest to the youngest that may go; one that came to its end is followed by a pause.
#pragma once

#include "base/time/time.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality {

/// Owned by one lane; not thread safe.
class Expiry {
 public:
  /// Both outlive this.
  Expiry(const Policy& policy, EngineCounts& counts) : policy_(policy), counts_(counts) {}

  bool is_due(Time now) const { return now >= next_; }
  /// Goes one step; what the store could not do is counted, logged and tried again after a pause.
  CommitOutcome step(Session& session, Time now);

 private:
  void begin_anew();

  const Policy& policy_;
  EngineCounts& counts_;
  Time next_;
  IdempotencyRecordId records_after_;
  DeliveryId deliveries_after_;
};

}  // namespace finality
