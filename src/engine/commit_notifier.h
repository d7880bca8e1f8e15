// Runs a lane's post-commit work in commit order, after the commit is durable. If the store flushes separately from
// commits, this is a dedicated thread, and one flush serves all batches committed in the meantime.
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

  /// Without a flusher, announce() performs the work immediately.
  CommitNotifier(std::unique_ptr<Flusher> flusher, Perform perform);
  ~CommitNotifier() { drain(); }

  /// Called by the lane after the commit. Blocks while limits::kUnflushedBatchesMax wait.
  void announce(PostCommitWork work);
  /// Returns when all work has been performed. Must be the last call.
  void drain();

 private:
  void run();

  const Perform perform_;
  std::unique_ptr<Flusher> flusher_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PostCommitWork> waiting_;
  bool draining_ = false;
  std::thread thread_;  // with a flusher
};

}  // namespace finality
