#include "base/net/server/response_queue.h"

#include <algorithm>
#include <utility>

namespace finality::net {

ResponseQueue::ResponseQueue(std::function<void()> wake, std::function<HttpResponse()> lost, ByteBudget& budget,
                             std::shared_ptr<ClientBytes> client, std::size_t bytes_max)
    : wake_(std::move(wake)),
      lost_(std::move(lost)),
      budget_(budget),
      client_(std::move(client)),
      bytes_max_(bytes_max) {}

std::uint64_t ResponseQueue::open(QueuedResponse place) {
  const std::lock_guard lock(mutex_);
  place.bytes += limits::kRequestOverheadBytes;
  if (!closed_) {
    bytes_ += place.bytes - std::exchange(body_bytes_, 0);
    charge();
  }
  ++unready_;
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
  const std::size_t bytes = place.response.body.capacity();
  expected_bytes_ = std::max(bytes, expected_bytes_ / 2);
  place.bytes += bytes;
  bytes_ += bytes;
  --unready_;
  charge();
  if (held_ || !responses_.front().ready) return;
  held_ = true;
  wake_();
}

void ResponseQueue::hold(bool sent) {
  const std::lock_guard lock(mutex_);
  held_ = true;
  if (!sent || closed_) return;
  bytes_ -= std::exchange(taken_bytes_, 0);
  charge();
}

void ResponseQueue::take(std::vector<QueuedResponse>& due, std::size_t count_max) {
  const std::lock_guard lock(mutex_);
  std::size_t taken = 0;
  while (taken < count_max && !responses_.empty() && responses_.front().ready) {
    taken_bytes_ += responses_.front().bytes;
    due.push_back(std::move(responses_.front()));
    responses_.pop_front();
    ++first_number_;
    ++taken;
  }
  held_ = taken > 0;
}

bool ResponseQueue::reserve_body(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (closed_ || !budget_.fits(*client_, bytes)) return false;
  bytes_ += bytes;
  body_bytes_ = bytes;
  charge();
  return true;
}

void ResponseQueue::grow_body(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bytes = (bytes + limits::kBytesUnit - 1) / limits::kBytesUnit * limits::kBytesUnit;
  if (closed_ || bytes <= body_bytes_) return;
  bytes_ += bytes - std::exchange(body_bytes_, bytes);
  charge();
}

// The budget counts whole units, so that small requests and responses rarely change its shared counters.
void ResponseQueue::charge() {
  const std::size_t whole = bytes_ / limits::kBytesUnit * limits::kBytesUnit;
  const std::size_t before = std::exchange(charged_, whole);
  if (whole > before)
    budget_.add(*client_, whole - before);
  else if (whole < before)
    budget_.remove(*client_, before - whole);
}

bool ResponseQueue::empty() const {
  const std::lock_guard lock(mutex_);
  return responses_.empty();
}

std::size_t ResponseQueue::unready() const {
  const std::lock_guard lock(mutex_);
  return unready_;
}

Room ResponseQueue::room() const {
  const std::lock_guard lock(mutex_);
  const bool holds_responses = !responses_.empty() || taken_bytes_ > 0;
  const std::size_t expected_bytes = (unready_ + 1) * expected_bytes_;
  const bool is_full = responses_.size() >= limits::kPipelinedRequestsMax || bytes_ + expected_bytes > bytes_max_;
  if (holds_responses && is_full) return Room::until_sent;
  return budget_.fits(*client_, 0) ? Room::free : Room::until_released;
}

std::size_t ResponseQueue::charged() const {
  const std::lock_guard lock(mutex_);
  return charged_;
}

void ResponseQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  responses_.clear();
  bytes_ = 0;
  charge();
}

}  // namespace finality::net
