#include "base/net/io_pool.h"

#include <csignal>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/check.h"
#include "base/thread_name.h"

namespace finality::net {

namespace asio = boost::asio;

struct IoPool::State {
  explicit State(std::size_t thread_count)
      : context(static_cast<int>(thread_count)),
        work(asio::make_work_guard(context)),
        stop_signals(context),
        reload_signals(context) {}

  static void await_signal(asio::signal_set& signals, std::function<void()> task) {
    signals.async_wait([&signals, task = std::move(task)](const boost::system::error_code& error, int) mutable {
      if (error) return;
      task();
      await_signal(signals, std::move(task));
    });
  }

  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work;
  asio::signal_set stop_signals;
  asio::signal_set reload_signals;
  std::vector<std::jthread> threads;
};

IoPool::IoPool(std::size_t threads) {
  FINALITY_CHECK(threads > 0, "an I/O pool has at least one thread");
  state_ = std::make_unique<State>(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    state_->threads.emplace_back([context = &state_->context]() noexcept {
      name_thread("io");
      context->run();
    });
  }
}

IoPool::~IoPool() {
  stop();
  for (std::jthread& thread : state_->threads) thread.join();
}

void IoPool::post(std::function<void()> task) { asio::post(state_->context, std::move(task)); }

void IoPool::after(Duration delay, std::function<void()> task) {
  auto timer = std::make_unique<asio::steady_timer>(state_->context, delay);
  asio::steady_timer& armed = *timer;
  armed.async_wait([timer = std::move(timer), task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

void IoPool::on_stop_signal(std::function<void()> task) {
  state_->stop_signals.add(SIGTERM);
  state_->stop_signals.add(SIGINT);
  State::await_signal(state_->stop_signals, std::move(task));
}

void IoPool::on_reload_signal(std::function<void()> task) {
  state_->reload_signals.add(SIGHUP);
  State::await_signal(state_->reload_signals, std::move(task));
}

void IoPool::stop() { state_->context.stop(); }

std::size_t IoPool::threads() const { return state_->threads.size(); }

boost::asio::io_context& IoPool::context() { return state_->context; }

}  // namespace finality::net
