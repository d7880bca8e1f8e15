// Counters of the worker for metrics. They start at 0 with the worker and never decrease.
#pragma once

#include <atomic>
#include <cstdint>

namespace finality {

struct WorkerCounters {
  using Counter = std::atomic<std::uint64_t>;

  // Scans of due rows and their claims.
  Counter scans = 0;
  Counter scans_failed = 0;      // scans that could not read the store
  Counter claims = 0;            // claims submitted to the engine
  Counter claims_refused = 0;    // refused claims: the row had changed, or the engine was busy
  Counter claims_postponed = 0;  // rows left for a later scan, because their effect would get no slot

  // Outgoing requests.
  Counter effects = 0;          // effects received from commits
  Counter effects_dropped = 0;  // effects that waited too long, found the queue full, or arrived after stop()
  Counter effects_late = 0;     // effects whose deadline had passed before they started
  Counter channel_calls = 0;
  Counter channel_calls_unanswered = 0;
  Counter maintenance_calls = 0;  // requests for the maintenance of channels
  Counter maintenance_failures = 0;
  Counter deliveries = 0;  // recorded attempts to deliver a webhook; without the postponed ones
  Counter deliveries_acknowledged = 0;
  Counter deliveries_postponed = 0;  // attempts that a limit of the HTTP client rejected; their rows become due again

  // Results submitted to the engine.
  Counter results_retried = 0;  // results submitted again, because the engine was busy
  Counter results_refused = 0;  // results that the engine refused
  Counter results_lost = 0;     // results dropped after too many tries or after stop(); the rows become due again
};

}  // namespace finality
