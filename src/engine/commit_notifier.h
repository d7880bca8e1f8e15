// Runs a lane's post-commit work in commit order, after the commit is durable. If the store flushes separately from
// commits, a dedicated thread flushes; one flush serves all batches committed during the previous flush. A failed flush
// terminates the process, because the outcome of the commits is unknown.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/post_commit_work.h"
#include "store/store.h"

namespace finality {

class CommitNotifier {
 public:
  using Perform = std::function<void(std::vector<Effect>)>;

  /// `flusher`: null if commits are durable when they return; announce() then performs the work on the calling thread.
  /// `perform`: starts the effects.
  CommitNotifier(std::unique_ptr<Flusher> flusher, Perform perform);
  ~CommitNotifier() { drain(); }

  /// Queues the work of a committed batch. Called on the lane's thread. Blocks while limits::kUnflushedBatchesMax
  /// batches are queued.
  void announce(PostCommitWork work);
  /// Waits until all work has been performed and joins the thread. announce() must not be called afterwards.
  void drain();

 private:
  void run();

  const Perform perform_;
  std::unique_ptr<Flusher> flusher_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PostCommitWork> waiting_;
  bool draining_ = false;
  std::thread thread_;  // runs only with a flusher
};

}  // namespace finality
