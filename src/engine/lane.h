// One lane: a queue, and a thread that hands to its batch runner whatever has queued up.
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
  /// `flusher`: the session's, when it flushes apart.
  Lane(std::unique_ptr<Session> session, std::unique_ptr<Flusher> flusher, const EngineOptions& options,
       EngineCounts& counts);
  ~Lane();

  /// False, and nothing taken, when the queue is full or the lane is draining.
  bool submit(Request& request);
  std::size_t queued() const;
  void drain();

 private:
  void run();
  std::vector<Request> take_batch();
  void queue_first(std::vector<Request> requests);
  void keep_lease();

  CommitNotifier notifier_;
  BatchRunner runner_;
  std::uint64_t lease_uses_seen_ = 0;
  std::chrono::steady_clock::time_point lease_used_at_ = std::chrono::steady_clock::now();

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> queue_;
  bool draining_ = false;
  std::thread thread_;
};

}  // namespace finality
