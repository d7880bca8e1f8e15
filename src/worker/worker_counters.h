// What the worker has done since it started, for metrics. Each counter only grows.
#pragma once

#include <atomic>
#include <cstdint>

namespace finality {

struct WorkerCounters {
  using Counter = std::atomic<std::uint64_t>;

  // The scan of what is due.
  Counter scans = 0;
  Counter scans_failed = 0;      // the store could not be read
  Counter claims = 0;            // submitted
  Counter claims_refused = 0;    // the row had moved on, or the engine was busy
  Counter claims_postponed = 0;  // no room for their effects: left for a later scan

  // Effects.
  Counter effects = 0;          // handed over by commits
  Counter effects_dropped = 0;  // too long or too many waiting, or stopping: their rows come due again
  Counter effects_late = 0;     // their deadline had passed before they were performed
  Counter channel_calls = 0;
  Counter channel_calls_unanswered = 0;
  Counter maintenance_calls = 0;  // what adapters asked for their own sake
  Counter maintenance_failures = 0;
  Counter deliveries = 0;  // attempts
  Counter deliveries_acknowledged = 0;

  // Results on their way into the engine.
  Counter results_retried = 0;  // the engine was busy: submitted again
  Counter results_refused = 0;  // decided, and not taken
  Counter results_lost = 0;     // given up: their rows come due again
};

}  // namespace finality
