// A lane: a queue of requests, and a thread that runs the queued requests in batches.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/batch_runner.h"
#include "engine/commit_notifier.h"

namespace finality {

class Lane {
 public:
  /// `flusher`: the flusher of the session; null if the session does not flush separately from commits. `options` and
  /// `counts` outlive the lane.
  Lane(std::unique_ptr<Session> session, std::unique_ptr<Flusher> flusher, const EngineOptions& options,
       EngineCounts& counts);
  ~Lane();

  /// Queues the request. Returns false and leaves `request` unchanged if the queue is full or the lane is draining.
  /// Thread safe.
  bool submit(Request& request);
  /// Answers the replies that wait for the result of `row`, after the requests queued so far. Thread safe.
  void release_unsent(UnsentCall unsent);
  /// The number of queued requests. Thread safe.
  std::size_t queued() const;
  /// Why the store accepts no writes of this lane; empty while it does. Thread safe.
  std::optional<StoreFault> fault() const { return runner_.fault(); }
  /// Rejects new requests, finishes queued requests, sends held replies and joins the thread.
  void drain();

 private:
  void run();
  std::vector<Request> take_batch();
  void release_unsent();
  void queue_first(std::vector<Request> requests);
  void keep_lease();

  CommitNotifier notifier_;
  BatchRunner runner_;
  std::uint64_t lease_uses_seen_ = 0;
  std::vector<UnsentCall> taken_unsent_;  // taken from unsent_ with the current batch
  std::chrono::steady_clock::time_point lease_used_at_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> queue_;
  std::vector<UnsentCall> unsent_;
  bool draining_ = false;
  std::thread thread_;
};

}  // namespace finality
