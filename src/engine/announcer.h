// Makes a lane's announcements, in their order, none before the disk has what it tells of. Where the store flushes
// apart from committing this is a thread of its own, and one flush serves all batches that were committed meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/announcement.h"
#include "store/store.h"

namespace finality {

class Announcer {
 public:
  using Perform = std::function<void(std::vector<Effect>)>;

  /// Without a flusher, announcements are made as they come.
  Announcer(std::unique_ptr<Flusher> flusher, Perform perform);
  ~Announcer() { drain(); }

  /// Called by the lane after the commit. Blocks while limits::kUnflushedBatchesMax wait.
  void announce(Announcement announcement);
  /// Returns when all announcements are made. Nothing may come after it.
  void drain();

 private:
  void run();

  const Perform perform_;
  std::unique_ptr<Flusher> flusher_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Announcement> waiting_;
  bool draining_ = false;
  std::thread thread_;  // with a flusher
};

}  // namespace finality
