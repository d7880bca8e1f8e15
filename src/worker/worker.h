// The worker: everything that reaches outside. Commits hand it effects, it performs them and brings the results back as
// commands; a scan of what is due makes up for effects that were lost.
//
//   commit ──► perform(effects) ──► HTTP ──► RecordEvidence, RecordDelivery ──► engine
//   store.due ──► ClaimRequest, ClaimDelivery, ExpireOrder ──► engine ──► commit ──► …
//
// It decides nothing. What it holds is lost in a crash, and every row it was about comes due again.
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
  /// Opens a reader, starts the scan and the channels' maintenance. REQUIRES: everything passed by reference outlives
  /// the worker's stop().
  static Result<std::unique_ptr<Worker>> start(Engine& engine, Store& store, const Channels& channels,
                                               const Policy& policy, const Clock& clock, net::HttpClient& client,
                                               net::IoPool& io, WorkerOptions options);
  /// Stops. REQUIRES: no lane calls perform() any more, so the engine is drained before.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Starts the effects, each on an I/O thread, and returns at once. Where their channel account or their merchant has
  /// no slot left (InFlightEffects), they wait for others to end; where that takes longer than
  /// limits::kEffectQueueWaitMax, when too many wait, and after stop(), they are dropped and counted. Thread safe.
  void perform(std::vector<Effect> effects);

  /// Ends the scan, takes no more effects, and waits WorkerOptions::stop_wait at most for those under way. Then neither
  /// the engine nor a channel is touched any more; what comes in later is lost, and asked for again at the next start.
  /// Call it before Engine::drain(), on neither a lane's nor an I/O thread. A second call does nothing.
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

/// How often to look for what is due: as the limits say, and faster where schedules are.
Duration scan_interval(const Policy& policy);

}  // namespace finality
