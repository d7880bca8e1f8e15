#include "worker/service_thread.h"

namespace finality {

ServiceThread::~ServiceThread() { stop(); }

void ServiceThread::run(const std::function<bool()>& work, Duration pause) {
  do {
    while (work() && !is_stopping()) continue;
  } while (!sleep(pause));
}

void ServiceThread::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool ServiceThread::sleep(Duration pause) {
  std::unique_lock lock(mutex_);
  return stopping_.wait_for(lock, pause, [this] { return is_stopping_; });
}

}  // namespace finality
