// The engine: lanes of batches, load → decide → commit.
//
//   submit ──► lane queue ──► load(union of reads) ──► decide, one after another ──► commit ──► replies, effects
//
// One merchant's commands meet in one lane, so they never race inside a process. While one commit is in flight the
// queue fills, and the next batch takes all of it: nothing waits for a timer.
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

/// What the engine has done since it started. Read from any thread.
struct EngineCounts {
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> conflicts{0};
  std::atomic<std::uint64_t> busy{0};    // refused because a queue was full
  std::atomic<std::uint64_t> parked{0};  // decisions undone because they broke a rule
  std::array<std::atomic<std::uint64_t>, kCount<CaseKind>> cases_opened{};
  std::atomic<std::uint64_t> idempotency_records_expired{0};  // idempotency records that were deleted
  std::atomic<std::uint64_t> deliveries_expired{0};
  std::atomic<std::uint64_t> expiry_failures{0};  // steps in which nothing could be deleted
};

struct EngineOptions {
  const Policy* policy = nullptr;      // outlives the engine
  const Clock* clock = nullptr;        // outlives the engine
  const Renderer* renderer = nullptr;  // outlives the engine
  /// Called when the disk has a commit, with what it asks to be done outside; by one thread of each lane. Must not
  /// block; may drop effects.
  std::function<void(std::vector<Effect>)> perform;
  fsm::CellWatch* cell_watch = nullptr;  // of a simulation; outlives the engine, called on the thread of each lane
};

class Engine {
 public:
  /// Opens one session per lane and starts the lanes' threads.
  static Result<std::unique_ptr<Engine>> start(Store& store, EngineOptions options);
  virtual ~Engine() = default;

  /// Queues the request. When the lane's queue is full it is answered `busy` at once, on this thread. Thread safe.
  virtual void submit(Request request) = 0;
  /// Commands that wait, over all lanes; those being decided are not counted. Thread safe.
  virtual std::size_t queued() const = 0;
  virtual const EngineCounts& counts() const = 0;
  /// Takes nothing more, finishes what is queued, answers held-back replies, joins the lanes.
  virtual void drain() = 0;
};

}  // namespace finality
