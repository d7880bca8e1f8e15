// The worker sends all outgoing requests: calls to channels and webhooks. It receives them as effects of commits,
// performs them, and submits the results to the engine as commands. A scan of due rows recovers lost effects.
//
//   commit ──► perform(effects) ──► HTTP ──► RecordEvidence, RecordDelivery ──► engine
//   store.due ──► ClaimRequest, ClaimDelivery, ExpireOrder ──► engine ──► commit ──► …
//
// Only the engine changes the state of objects. The worker keeps no durable state: after a crash, the rows of all lost
// effects become due again.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "base/net/io_pool.h"
#include "worker/due_scan.h"
#include "worker/effects/effect_context.h"

namespace finality {

class Worker {
 public:
  /// Opens a reader of the store and starts the scan and the maintenance of channels. Returns an error if the reader
  /// cannot be opened. REQUIRES: all objects passed by reference remain valid until stop() has returned.
  static Result<std::unique_ptr<Worker>> start(Engine& engine, Store& store, const Channels& channels,
                                               const Policy& policy, const Clock& clock, net::HttpClient& client,
                                               net::IoPool& io, WorkerOptions options);
  /// Calls stop(). REQUIRES: no lane calls perform() any more, so Engine::drain() must have returned.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Starts the effects on I/O threads and returns immediately. Effects without a free slot (InFlightEffects) wait in
  /// a queue until other effects end. An effect is dropped and counted if it waits longer than
  /// limits::kEffectQueueWaitMax, if the queue is full, or after stop(). Thread safe.
  void perform(std::vector<Effect> effects);

  /// Ends the scan, accepts no more effects, and waits up to WorkerOptions::stop_wait for the effects in flight. After
  /// stop(), the worker uses neither the engine nor a channel. Replies that arrive later are ignored; the results are
  /// queried after the next start. Call stop() before Engine::drain(), and not on a lane or I/O thread. A second call
  /// does nothing.
  void stop();

  const WorkerCounters& counters() const { return context_->counters; }
  const CircuitBreakers& breakers() const { return context_->breakers; }
  std::size_t effects_in_flight() const { return in_flight_->count(); }
  std::size_t effects_waiting() const { return in_flight_->waiting(); }
  ChannelUse use_of(ChannelAccountId account) const { return in_flight_->use_of(account); }

 private:
  Worker(std::shared_ptr<EffectContext> context, std::shared_ptr<InFlightEffects> in_flight, net::IoPool& io);
  void start_scan(Store& store, std::unique_ptr<Reader> reader);

  std::shared_ptr<EffectContext> context_;
  std::shared_ptr<InFlightEffects> in_flight_;
  net::IoPool& io_;
  std::jthread scan_;
};

/// Returns the interval between scans: limits::kDueScanEvery, or less if `time_scale` shortens the schedules.
Duration scan_interval(const Policy& policy);

}  // namespace finality
