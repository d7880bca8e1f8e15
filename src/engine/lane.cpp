#include "engine/lane.h"

#include <algorithm>
#include <chrono>
#include <random>

#include "base/limits.h"
#include "base/thread_name.h"

namespace finality {
namespace {

void sleep_a_little(int tries) {
  thread_local std::minstd_rand random{std::random_device{}()};
  std::uniform_int_distribution<int> jitter(0, 1 << std::min(tries, 6));
  std::this_thread::sleep_for(std::chrono::milliseconds(jitter(random)));
}

}  // namespace

Lane::Lane(std::unique_ptr<Session> session, std::unique_ptr<Flusher> flusher, const EngineOptions& options,
           EngineCounts& counts)
    : notifier_(std::move(flusher), options.perform),
      runner_(
          std::move(session), options, counts, [this](PostCommitWork work) { notifier_.announce(std::move(work)); },
          sleep_a_little),
      thread_([this] { run(); }) {}

Lane::~Lane() { drain(); }

bool Lane::submit(Request& request) {
  {
    const std::lock_guard lock(mutex_);
    if (draining_ || queue_.size() >= limits::kLaneQueueMax) return false;
    queue_.push_back(std::move(request));
  }
  arrived_.notify_one();
  return true;
}

void Lane::release_unsent(UnsentCall unsent) {
  {
    const std::lock_guard lock(mutex_);
    unsent_.push_back(unsent);
  }
  arrived_.notify_one();
}

std::size_t Lane::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Lane::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  arrived_.notify_one();
  if (thread_.joinable()) thread_.join();
  notifier_.drain();
}

void Lane::run() {
  name_thread("lane");
  for (;;) {
    std::vector<Request> requests = take_batch();
    if (requests.empty()) {
      const std::lock_guard lock(mutex_);
      if (draining_ && queue_.empty()) break;
    } else {
      queue_first(runner_.run(std::move(requests)));
    }
    release_unsent();
    runner_.drop_late_held(false);
    keep_lease();
    runner_.expire_some();
  }
  runner_.drop_late_held(true);
}

// Takes the queued requests, at most limits::kBatchCommandsMax. Returns an empty batch after one second without work,
// or if only release_unsent() has work.
std::vector<Request> Lane::take_batch() {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, std::chrono::seconds(1), [this] { return draining_ || !queue_.empty() || !unsent_.empty(); });
  const std::size_t count = std::min(queue_.size(), limits::kBatchCommandsMax);
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Request> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  taken_unsent_.swap(unsent_);
  return batch;
}

void Lane::release_unsent() {
  if (taken_unsent_.empty()) return;
  runner_.release_unsent(taken_unsent_);
  taken_unsent_.clear();
}

void Lane::queue_first(std::vector<Request> requests) {
  const std::lock_guard lock(mutex_);
  for (Request& request : requests) queue_.push_front(std::move(request));
}

void Lane::keep_lease() {
  const auto now = std::chrono::steady_clock::now();
  if (runner_.lease_uses() != lease_uses_seen_) {
    lease_uses_seen_ = runner_.lease_uses();
    lease_used_at_ = now;
  }
  if (now - lease_used_at_ < (fault() ? limits::kStoreProbeEvery : limits::kLeaseRenewedAfter)) return;
  runner_.renew_lease();
}

}  // namespace finality
