#include "worker/service_thread.h"

#include <future>
#include <memory>
namespace finality {
namespace {

constexpr Duration kBusyPause{50};

}  // namespace

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

Result<Reply> ServiceThread::submit(Engine& engine, const Command& command, MerchantId merchant, CauseKind cause) {
  while (true) {
    auto answer = std::make_shared<std::promise<Reply>>();
    Request request;
    request.command = command;
    request.merchant_id = merchant;
    request.cause = {.kind = cause};
    request.reply = [answer](Reply reply) { answer->set_value(std::move(reply)); };
    engine.submit(std::move(request));
    Reply reply = answer->get_future().get();
    if (!should_retry(reply)) return reply;
    if (sleep(kBusyPause)) return fail(kServerStops);
  }
}

}  // namespace finality
