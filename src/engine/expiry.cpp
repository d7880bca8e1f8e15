#include "engine/expiry.h"

#include "base/limits.h"
#include "base/log.h"

namespace finality {

CommitOutcome Expiry::step(Session& session, Time now) {
  const Expired done = session.expire({.records_before = now - policy_.idempotency_retention - limits::kExpireMargin,
                                       .deliveries_before = now - policy_.delivery_retention - limits::kExpireMargin,
                                       .files_before = now - policy_.file_retention - limits::kExpireMargin,
                                       .records_after = records_after_,
                                       .deliveries_after = deliveries_after_,
                                       .files_after = files_after_,
                                       .limit = limits::kExpiredPerStep,
                                       .files_limit = limits::kExpiredFilesPerStep});
  const CommitOutcome outcome = done.result.outcome;
  next_ = now + limits::kExpireEvery;
  if (outcome == CommitOutcome::ok) {
    counts_.idempotency_records_expired += done.idempotency_records;
    counts_.deliveries_expired += done.deliveries;
    counts_.statement_files_expired += done.files;
    records_after_ = done.records_after;
    deliveries_after_ = done.deliveries_after;
    files_after_ = done.files_after;
    if (done.at_end) restart();
  } else if (outcome != CommitOutcome::conflict) {  // after a conflict the same step is tried again
    counts_.expiry_failures += 1;
    log::error("expired rows not deleted", {{"error", done.result.message}});
    restart();
  }
  return outcome;
}

// Ends the round. The next round starts at the oldest rows after limits::kExpireAgainAfter, and retries rows that this
// round did not delete.
void Expiry::restart() {
  next_ = next_ - limits::kExpireEvery + limits::kExpireAgainAfter;
  records_after_ = {};
  deliveries_after_ = {};
  files_after_ = {};
}

}  // namespace finality
