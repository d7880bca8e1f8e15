// The engine: lanes that process batches of commands, load → decide → commit.
//
//   submit ──► lane queue ──► load(union of reads) ──► decide, one after another ──► commit ──► replies, effects
//
// All commands of a merchant run in one lane, so they never race inside a process. While a commit is in flight the
// queue fills, and the next batch takes all of it. Batching needs no timer.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/renderer.h"
#include "engine/request.h"
#include "fsm/table.h"
#include "model/effect.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality {

/// Counters since the engine started. Readable from any thread.
struct EngineCounts {
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> conflicts{0};
  std::atomic<std::uint64_t> busy{0};    // rejected because a queue was full
  std::atomic<std::uint64_t> parked{0};  // commands rolled back because they violated an invariant
  std::array<std::atomic<std::uint64_t>, kCount<CaseKind>> cases_opened{};
  std::atomic<std::uint64_t> idempotency_records_expired{0};  // deleted records
  std::atomic<std::uint64_t> deliveries_expired{0};
  std::atomic<std::uint64_t> expiry_failures{0};  // steps that could not delete anything
};

/// Dependencies of an engine. The caller owns the pointers.
struct EngineOptions {
  const Policy* policy = nullptr;      // outlives the engine
  const Clock* clock = nullptr;        // outlives the engine
  const Renderer* renderer = nullptr;  // outlives the engine
  /// Called once a commit is durable, with its effects, by one thread per lane. Must not block; may drop effects.
  std::function<void(std::vector<Effect>)> perform;
  fsm::CellWatch* cell_watch = nullptr;  // used by simulations; outlives the engine, called on each lane's thread
};

class Engine {
 public:
  /// Opens one session per lane and starts the lanes' threads.
  static Result<std::unique_ptr<Engine>> start(Store& store, EngineOptions options);
  virtual ~Engine() = default;

  /// Queues the request. If the lane's queue is full, answers `busy` immediately on the calling thread. Thread safe.
  virtual void submit(Request request) = 0;
  /// Queued commands of all lanes, without those being decided. Thread safe.
  virtual std::size_t queued() const = 0;
  /// Counters of all lanes. Thread safe.
  virtual const EngineCounts& counts() const = 0;
  /// Rejects new requests, finishes queued requests, answers held replies and joins the lanes.
  virtual void drain() = 0;
};

}  // namespace finality
