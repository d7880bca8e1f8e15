#include "engine/announcer.h"

#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "base/thread_name.h"

namespace finality {

Announcer::Announcer(std::unique_ptr<Flusher> flusher, Perform perform)
    : perform_(std::move(perform)), flusher_(std::move(flusher)) {
  if (flusher_) thread_ = std::thread([this] { run(); });
}

void Announcer::announce(Announcement announcement) {
  if (!flusher_) return tell(std::move(announcement), perform_);
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < limits::kUnflushedBatchesMax; });
    waiting_.push_back(std::move(announcement));
  }
  changed_.notify_all();
}

void Announcer::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Announcer::run() {
  name_thread("announcer");
  for (;;) {
    std::deque<Announcement> committed;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return draining_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      committed.swap(waiting_);
    }
    changed_.notify_all();
    const auto flushed = flusher_->flush();
    FINALITY_CHECK(flushed.has_value(), "only a restart can tell what was written: " + flushed.error().message);
    for (Announcement& announcement : committed) tell(std::move(announcement), perform_);
  }
}

}  // namespace finality
