#include "engine/expiry.h"

#include "base/limits.h"
#include "base/log.h"

namespace finality {

CommitOutcome Expiry::step(Session& session, Time now) {
  const Expired done = session.expire({.records_before = now - policy_.idempotency_retention - limits::kExpireMargin,
                                       .deliveries_before = now - policy_.delivery_retention - limits::kExpireMargin,
                                       .records_after = records_after_,
                                       .deliveries_after = deliveries_after_,
                                       .limit = limits::kExpiredPerStep});
  const CommitOutcome outcome = done.result.outcome;
  next_ = now + limits::kExpireEvery;
  if (outcome == CommitOutcome::ok) {
    counts_.idempotency_records_expired += done.idempotency_records;
    counts_.deliveries_expired += done.deliveries;
    records_after_ = done.records_after;
    deliveries_after_ = done.deliveries_after;
    if (done.at_end) restart();
  } else if (outcome != CommitOutcome::conflict) {  // a conflict repeats the same step
    counts_.expiry_failures += 1;
    log::error("expired rows not deleted", {{"error", done.result.message}});
    restart();
  }
  return outcome;
}

// Starts again with the oldest rows: the next round retries rows that this one did not delete.
void Expiry::restart() {
  next_ = next_ - limits::kExpireEvery + limits::kExpireAgainAfter;
  records_after_ = {};
  deliveries_after_ = {};
}

}  // namespace finality
