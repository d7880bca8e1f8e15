#include "http/server/shared_reply.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/limits.h"
#include "base/thread_name.h"
#include "http/server/problem.h"

namespace finality::http {

SharedReply::SharedReply(Duration kept, Make make)
    : kept_(kept), make_(std::move(make)), thread_([this]() noexcept { run(); }) {}

SharedReply::~SharedReply() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void SharedReply::answer(HttpExchangePtr exchange) {
  {
    const std::lock_guard lock(mutex_);
    // A timeout can have answered exchanges that wait for a slow computation.
    if (waiting_.size() >= limits::kReadsWaitingMax)
      std::erase_if(waiting_, [](const HttpExchangePtr& one) { return one->answered(); });
    if (waiting_.size() < limits::kReadsWaitingMax) waiting_.push_back(std::move(exchange));
  }
  if (exchange) return exchange->refuse(busy());
  changed_.notify_one();
}

void SharedReply::run() {
  name_thread("health");
  std::optional<HttpReply> reply;
  std::chrono::steady_clock::time_point begun_at;
  std::vector<HttpExchangePtr> exchanges;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      exchanges.swap(waiting_);
    }
    const auto now = std::chrono::steady_clock::now();
    if (!reply || now - begun_at >= kept_) {
      begun_at = now;
      reply = make_();
    }
    for (const HttpExchangePtr& exchange : exchanges) exchange->answer(*reply);
    exchanges.clear();
  }
}

}  // namespace finality::http
