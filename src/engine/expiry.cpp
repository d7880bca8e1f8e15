#include "engine/expiry.h"

#include "base/limits.h"
#include "engine/log.h"

namespace finality {

CommitOutcome Expiry::step(Session& session, Time now) {
  const Expired done = session.expire({.answers_before = now - policy_.keep_idempotency - limits::kExpireMargin,
                                       .deliveries_before = now - policy_.keep_deliveries - limits::kExpireMargin,
                                       .answers_after = answers_after_,
                                       .deliveries_after = deliveries_after_,
                                       .limit = limits::kExpiredPerStep});
  const CommitOutcome outcome = done.result.outcome;
  next_ = now + limits::kExpireEvery;
  if (outcome == CommitOutcome::ok) {
    counts_.answers_expired += done.answers;
    counts_.deliveries_expired += done.deliveries;
    answers_after_ = done.answers_after;
    deliveries_after_ = done.deliveries_after;
    if (done.at_end) begin_anew();
  } else if (outcome != CommitOutcome::conflict) {  // after a race the same step is tried again
    counts_.expiry_failures += 1;
    spdlog::error("what was kept long enough could not be deleted: {}", done.result.message);
    begin_anew();
  }
  return outcome;
}

// From the oldest again: what was not finished may be now.
void Expiry::begin_anew() {
  next_ = next_ - limits::kExpireEvery + limits::kExpireAgainAfter;
  answers_after_ = {};
  deliveries_after_ = {};
}

}  // namespace finality
