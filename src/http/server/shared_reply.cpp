#include "http/server/shared_reply.h"

#include <condition_variable>
#include <optional>
#include <utility>
#include <vector>

#include "base/thread_name.h"
#include "http/server/problem.h"

namespace finality::http {
namespace {

using Instant = std::chrono::steady_clock::time_point;

Instant now() { return std::chrono::steady_clock::now(); }

}  // namespace

/// Shared with the timer, which can outlive the object.
struct SharedReply::State {
  explicit State(Options given) : options(std::move(given)) {}

  const Options options;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<HttpExchangePtr> waiting;
  Instant waiting_since;  // of the first request in `waiting`
  std::optional<HttpReply> last;
  bool is_computing = false;
  bool is_late = false;  // the running computation takes longer than wait_max
  bool is_watched = false;
  bool stopping = false;
};

SharedReply::SharedReply(net::IoPool& io, Options options, Make make)
    : io_(io),
      make_(std::move(make)),
      state_(std::make_shared<State>(std::move(options))),
      thread_([this]() noexcept { run(); }) {}

SharedReply::~SharedReply() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  thread_.join();
}

void SharedReply::answer(HttpExchangePtr exchange) {
  State& state = *state_;
  std::optional<HttpReply> at_once;
  bool begins_watch = false;
  {
    const std::lock_guard lock(state.mutex);
    if (state.is_late) {
      at_once = std::unexpected(state.options.late);
    } else if (state.waiting.size() >= state.options.waiting_max) {
      at_once = state.last.value_or(std::unexpected(busy()));
    } else {
      if (state.waiting.empty()) state.waiting_since = now();
      state.waiting.push_back(exchange);
      begins_watch = state.options.wait_max > Duration(0) && !std::exchange(state.is_watched, true);
    }
  }
  if (at_once) return exchange->answer(std::move(*at_once));
  state.changed.notify_one();
  if (begins_watch) watch(io_, state_, state.options.wait_max);
}

// Refuses the requests whose wait ends. One timer serves all requests: it starts again while requests wait.
void SharedReply::watch(net::IoPool& io, const std::shared_ptr<State>& state, Duration delay) {
  io.after(delay, [&io, weak = std::weak_ptr(state)] {
    const std::shared_ptr<State> watched = weak.lock();
    if (!watched) return;
    std::vector<HttpExchangePtr> late;
    Duration left{0};
    {
      const std::lock_guard lock(watched->mutex);
      const auto waited = std::chrono::duration_cast<Duration>(now() - watched->waiting_since);
      if (!watched->waiting.empty() && waited < watched->options.wait_max) {
        left = watched->options.wait_max - waited;
      } else {
        late.swap(watched->waiting);
        watched->is_late = !late.empty() && watched->is_computing;
      }
      watched->is_watched = left > Duration(0);
    }
    for (const HttpExchangePtr& exchange : late) exchange->refuse(watched->options.late);
    if (left > Duration(0)) watch(io, watched, left);
  });
}

void SharedReply::run() {
  name_thread("health");
  State& state = *state_;
  std::optional<Instant> begun_at;
  while (true) {
    std::unique_lock lock(state.mutex);
    state.changed.wait(lock, [&] { return state.stopping || !state.waiting.empty(); });
    if (state.stopping) return;
    if (!begun_at || now() - *begun_at >= state.options.kept) {
      begun_at = now();
      state.is_computing = true;
      lock.unlock();
      HttpReply made = make_();
      lock.lock();
      state.is_computing = state.is_late = false;
      state.last = std::move(made);
    }
    const HttpReply reply = *state.last;
    std::vector<HttpExchangePtr> exchanges;
    exchanges.swap(state.waiting);
    lock.unlock();
    for (const HttpExchangePtr& exchange : exchanges) exchange->answer(reply);
  }
}

}  // namespace finality::http
