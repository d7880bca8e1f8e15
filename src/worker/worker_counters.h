// Counters of the worker since it started, for metrics. Each counter only grows.
#pragma once

#include <atomic>
#include <cstdint>

namespace finality {

struct WorkerCounters {
  using Counter = std::atomic<std::uint64_t>;

  // The scan of due rows.
  Counter scans = 0;
  Counter scans_failed = 0;      // the store could not be read
  Counter claims = 0;            // submitted
  Counter claims_refused = 0;    // the row had changed, or the engine was busy
  Counter claims_postponed = 0;  // no room for their effects: left for a later scan

  // Effects.
  Counter effects = 0;          // received from commits
  Counter effects_dropped = 0;  // waited too long, queue full, or stopping: their rows become due again
  Counter effects_late = 0;     // their deadline had passed before they started
  Counter channel_calls = 0;
  Counter channel_calls_unanswered = 0;
  Counter maintenance_calls = 0;  // maintenance requests of adapters
  Counter maintenance_failures = 0;
  Counter deliveries = 0;  // attempts
  Counter deliveries_acknowledged = 0;

  // Results submitted to the engine.
  Counter results_retried = 0;  // the engine was busy: submitted again
  Counter results_refused = 0;  // the engine executed and refused the command
  Counter results_lost = 0;     // dropped: their rows become due again
};

}  // namespace finality
