// The engine: lanes that process batches of commands, load → decide → commit.
//
//   submit ──► lane queue ──► load(union of reads) ──► decide, one after another ──► commit ──► replies, effects
//
// All commands of a merchant run in one lane, so they never race inside a process. Requests that arrive during a commit
// are queued and form the next batch, so batching needs no timer.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "engine/renderer.h"
#include "engine/request.h"
#include "fsm/table.h"
#include "model/effect.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality {

/// Counters since the engine was started. Thread safe.
struct EngineCounts {
  std::atomic<std::uint64_t> commands{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> conflicts{0};
  std::atomic<std::uint64_t> busy{0};           // requests rejected because a queue was full
  std::atomic<std::uint64_t> part_failures{0};  // batches that failed because of a part of the store
  std::atomic<std::uint64_t> part_refusals{0};  // commands refused because their part of the store has failed
  std::atomic<std::uint64_t> parked{0};         // commands rolled back because they violated an invariant
  std::array<std::atomic<std::uint64_t>, kCount<CaseKind>> cases_opened{};
  std::atomic<std::uint64_t> idempotency_records_expired{0};  // expired idempotency records that were deleted
  std::atomic<std::uint64_t> deliveries_expired{0};
  std::atomic<std::uint64_t> statement_files_expired{0};
  std::atomic<std::uint64_t> expiry_failures{0};  // deletion steps that failed
};

/// Dependencies of an engine. The caller owns the pointed-to objects, which must outlive the engine.
struct EngineOptions {
  const Policy* policy = nullptr;      // outlives the engine
  const Clock* clock = nullptr;        // outlives the engine
  const Renderer* renderer = nullptr;  // outlives the engine
  /// Starts the effects of a batch. Called after the commit is durable, on one thread per lane. Must not block. May
  /// drop effects, because their rows become due again.
  std::function<void(std::vector<Effect>)> perform;
  fsm::CellWatch* cell_watch = nullptr;  // set by simulations; called on each lane's thread
};

/// A request to a channel that was not sent.
struct UnsentCall {
  ObjectRef row;          // row_of() the call
  std::string_view call;  // name of the call's kind
  friend bool operator==(const UnsentCall&, const UnsentCall&) = default;
};

class Engine {
 public:
  /// Opens one session per lane and starts the lanes' threads. Fails if a session cannot be opened. `store` must
  /// outlive the engine.
  static Result<std::unique_ptr<Engine>> start(Store& store, EngineOptions options);
  virtual ~Engine() = default;

  /// Queues the request in the merchant's lane. If the queue is full or the engine drains, calls `request.reply` with
  /// the refusal `busy` on the calling thread. Thread safe.
  virtual void submit(Request request) = 0;
  /// Reports that a request to a channel was not sent. Replies that wait for its result (Request::await_answer) are
  /// answered at once, with Reply::show_object. Replies that wait for another request about the row keep waiting: that
  /// one may have been sent. Requests that were submitted before are usually executed first. Thread safe.
  virtual void release_unsent(MerchantId merchant, UnsentCall unsent) = 0;
  /// Returns the number of queued requests of all lanes, without the current batches. Thread safe.
  virtual std::size_t queued() const = 0;
  /// Returns why the store accepts no writes of a lane; empty while it accepts all. Each write is then refused with
  /// `storage_write_error`, until the store accepts writes again. Thread safe.
  virtual std::optional<StoreFault> store_fault() const = 0;
  /// Returns the counters, which all lanes share. Thread safe.
  virtual const EngineCounts& counts() const = 0;
  /// Rejects new requests, finishes queued requests, sends held replies and joins the lanes' threads.
  virtual void drain() = 0;
};

}  // namespace finality
