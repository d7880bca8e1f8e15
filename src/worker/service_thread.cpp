#include "worker/service_thread.h"

namespace finality {

ServiceThread::~ServiceThread() { stop(); }

void ServiceThread::run(const std::function<bool()>& work, Duration pause) {
  do {
    while (work() && !is_stopping()) continue;
  } while (!rest(pause));
}

// Waits until the next call of the work. Returns whether the thread stops.
bool ServiceThread::rest(Duration pause) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, pause, [this] { return is_stopping() || is_woken_; });
  is_woken_ = false;
  return is_stopping();
}

void ServiceThread::wake() {
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = true;
  }
  changed_.notify_all();
}

void ServiceThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_.request_stop();
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool ServiceThread::sleep(Duration pause) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, pause, [this] { return is_stopping(); });
}

}  // namespace finality
