// The worker performs all effects outside the process. Commits pass effects to it; it performs them and submits the
// results as commands. A scan of due rows recovers lost effects.
//
//   commit ──► perform(effects) ──► HTTP ──► RecordEvidence, RecordDelivery ──► engine
//   store.due ──► ClaimRequest, ClaimDelivery, ExpireOrder ──► engine ──► commit ──► …
//
// The worker makes no state transition; the engine makes all of them. The worker's state is lost in a crash, and every
// affected row becomes due again.
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
  /// Opens a reader and starts the scan and the channels' maintenance. REQUIRES: everything passed by reference
  /// outlives the worker's stop().
  static Result<std::unique_ptr<Worker>> start(Engine& engine, Store& store, const Channels& channels,
                                               const Policy& policy, const Clock& clock, net::HttpClient& client,
                                               net::IoPool& io, WorkerOptions options);
  /// Stops. REQUIRES: no lane calls perform() any more, so the engine must be drained first.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Starts the effects, each on an I/O thread, and returns immediately. If a channel account or merchant has no free
  /// slot (InFlightEffects), its effects wait until other effects end. Effects are dropped and counted if they wait
  /// longer than limits::kEffectQueueWaitMax, if the queue is full, or after stop(). Thread safe.
  void perform(std::vector<Effect> effects);

  /// Ends the scan, accepts no more effects, and waits up to WorkerOptions::stop_wait for the effects in flight.
  /// Afterwards the worker uses neither the engine nor a channel; later replies are lost, and their requests are
  /// queried after the next start. Must be called before Engine::drain(), and not on a lane or I/O thread. A second
  /// call does nothing.
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

/// The interval between scans: limits::kDueScanEvery, or shorter when `time_scale` shortens the schedules.
Duration scan_interval(const Policy& policy);

}  // namespace finality
