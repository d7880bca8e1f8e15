#include "engine/commit_notifier.h"

#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "base/thread_name.h"

namespace finality {

CommitNotifier::CommitNotifier(std::unique_ptr<Flusher> flusher, Perform perform)
    : perform_(std::move(perform)), flusher_(std::move(flusher)) {
  if (flusher_) thread_ = std::thread([this] { run(); });
}

void CommitNotifier::announce(PostCommitWork work) {
  if (!flusher_) return perform_work(std::move(work), perform_);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < limits::kUnflushedBatchesMax; });
    waiting_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void CommitNotifier::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CommitNotifier::run() {
  name_thread("notifier");
  for (;;) {
    std::deque<PostCommitWork> committed;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return draining_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      committed.swap(waiting_);
    }
    changed_.notify_all();
    const auto flushed = flusher_->flush();
    FINALITY_CHECK(flushed.has_value(),
                   "the outcome of the commit is unknown until a restart: " + flushed.error().message);
    for (PostCommitWork& work : committed) perform_work(std::move(work), perform_);
  }
}

}  // namespace finality
