#include "base/net/server/response_queue.h"

#include <utility>

namespace finality::net {

ResponseQueue::ResponseQueue(std::function<void()> wake, std::function<HttpResponse()> lost)
    : wake_(std::move(wake)), lost_(std::move(lost)) {}

std::uint64_t ResponseQueue::open(QueuedResponse place) {
  const std::lock_guard lock(mutex_);
  request_bytes_ += place.request_bytes;
  responses_.push_back(std::move(place));
  return first_number_ + responses_.size() - 1;
}

void ResponseQueue::put(std::uint64_t number, HttpResponse response) {
  const std::lock_guard lock(mutex_);
  if (QueuedResponse* place = waiting(number)) fill(*place, std::move(response));
}

void ResponseQueue::abandon(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (QueuedResponse* place = waiting(number)) fill(*place, lost_());
}

QueuedResponse* ResponseQueue::waiting(std::uint64_t number) {
  if (closed_ || number < first_number_ || responses_[number - first_number_].ready) return nullptr;
  return &responses_[number - first_number_];
}

void ResponseQueue::fill(QueuedResponse& place, HttpResponse response) {
  place.response = std::move(response);
  place.ready = true;
  if (held_ || !responses_.front().ready) return;
  held_ = true;
  wake_();
}

void ResponseQueue::hold() {
  const std::lock_guard lock(mutex_);
  held_ = true;
}

void ResponseQueue::take(std::vector<QueuedResponse>& due, std::size_t count_max) {
  const std::lock_guard lock(mutex_);
  std::size_t taken = 0;
  while (taken < count_max && !responses_.empty() && responses_.front().ready) {
    request_bytes_ -= responses_.front().request_bytes;
    due.push_back(std::move(responses_.front()));
    responses_.pop_front();
    ++first_number_;
    ++taken;
  }
  held_ = taken > 0;
}

bool ResponseQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return responses_.empty();
}

bool ResponseQueue::full(std::size_t count_max, std::size_t bytes_max) const {
  const std::lock_guard lock(mutex_);
  return responses_.size() >= count_max || request_bytes_ > bytes_max;
}

void ResponseQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  responses_.clear();
}

}  // namespace finality::net
