// Pool of threads that read the store, with one store connection per thread.
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

/// Runs read tasks on its threads. Thread safe.
class ReaderPool {
 public:
  /// Opens `threads` readers and starts a thread for each; returns the first error of the store. `store` must outlive
  /// the pool. `waiting_max`: maximum number of queued tasks.
  static Result<std::unique_ptr<ReaderPool>> open(Store& store, std::size_t threads,
                                                  std::size_t waiting_max = limits::kReadsWaitingMax);
  /// Waits for running tasks to end, and drops queued tasks.
  ~ReaderPool();

  /// Runs `task` on a reader thread. Returns false if the queue is full: the task is dropped, and the caller should
  /// refuse with `busy`. If a task throws, the pool logs the exception and destroys the task; its client receives 500.
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
