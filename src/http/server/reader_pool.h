// Pool of threads that read the store, with one connection per thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "store/store.h"

namespace finality::http {

/// Thread safe.
class ReaderPool {
 public:
  /// Opens `threads` readers and starts a thread for each.
  static Result<std::unique_ptr<ReaderPool>> open(Store& store, std::size_t threads,
                                                  std::size_t waiting_max = limits::kReadsWaitingMax);
  /// Finishes running tasks, drops queued tasks.
  ~ReaderPool();

  /// Runs `task` on a reader thread. Returns false if the queue is full; the task is then dropped, and the caller
  /// should answer `busy`. If a task throws, the exception is logged and the task destroyed; its client receives 500.
  bool submit(std::function<void(Reader&)> task);

 private:
  explicit ReaderPool(std::size_t waiting_max) : waiting_max_(waiting_max) {}
  void run(Reader& reader);

  const std::size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void(Reader&)>> waiting_;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::vector<std::jthread> threads_;
};

}  // namespace finality::http
