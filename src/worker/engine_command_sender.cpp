#include "worker/engine_command_sender.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/limits.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBusyPause = 50ms;
constexpr Duration kObserve = 100ms;       // work between two looks at the other commands of the engine
constexpr std::uint64_t kOthersPerMs = 1;  // other commands; from this rate on, the comparison gives way
constexpr int kPauseShare = 2;             // duration of a pause, compared with that of the work before it
constexpr Duration kPauseMax = 1s;

}  // namespace

EngineCommandSender::EngineCommandSender(Engine& engine, Pause pause, CauseKind cause)
    : engine_(engine), pause_(std::move(pause)), cause_(cause) {
  observe();
}

Request EngineCommandSender::request_of(Command command, MerchantId merchant) const {
  Request request;
  request.command = std::move(command);
  request.merchant_id = merchant;
  request.cause = {.kind = cause_};
  return request;
}

std::future<Reply> EngineCommandSender::start(Request request) {
  auto answer = std::make_shared<std::promise<Reply>>();
  std::future<Reply> reply = answer->get_future();
  request.reply = [answer](Reply value) { answer->set_value(std::move(value)); };
  ++own_since_;
  engine_.submit(std::move(request));
  return reply;
}

Result<Reply> EngineCommandSender::reply_of(std::future<Reply> reply) {
  while (true) {
    Reply answer = reply.get();
    if (!should_retry(answer)) return answer;
    if (pause_(kBusyPause)) return fail(std::string(kServerStops));
    reply = start(std::move(*answer.request));
  }
}

Result<Reply> EngineCommandSender::submit(Command command, MerchantId merchant) {
  return reply_of(start(request_of(std::move(command), merchant)));
}

Result<void> EngineCommandSender::send(Command command, MerchantId merchant) {
  if (in_flight_.size() == limits::kStatementCommandsInFlightMax)
    if (auto settled = settle_first(); !settled) return settled;
  in_flight_.push_back(start(request_of(std::move(command), merchant)));
  return {};
}

Result<void> EngineCommandSender::settle_first() {
  std::future<Reply> first = std::move(in_flight_.front());
  in_flight_.pop_front();
  const auto reply = without_refusal(reply_of(std::move(first)));
  return reply ? Result<void>{} : std::unexpected(reply.error());
}

Result<void> EngineCommandSender::settle() {
  while (!in_flight_.empty())
    if (auto settled = settle_first(); !settled) return settled;
  return {};
}

void EngineCommandSender::observe() {
  observed_at_ = std::chrono::steady_clock::now();
  commands_seen_ = engine_.counts().commands;
  own_since_ = in_flight_.size();
}

Result<void> EngineCommandSender::give_way() {
  const auto worked = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - observed_at_);
  if (worked < kObserve) return {};
  const std::uint64_t others_least =
      commands_seen_ + own_since_ + static_cast<std::uint64_t>(worked.count()) * kOthersPerMs;
  const bool must_pause = engine_.counts().commands >= others_least;
  if (must_pause && pause_(std::min(worked * kPauseShare, kPauseMax))) return fail(std::string(kServerStops));
  observe();
  return {};
}

}  // namespace finality
