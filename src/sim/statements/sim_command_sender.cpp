#include "sim/statements/sim_command_sender.h"

#include <string>
#include <utility>

#include "sim/bugs/bug.h"

namespace finality::sim {
namespace {

using std::chrono::minutes;

constexpr std::size_t kInFlightMax = 16;
constexpr Duration kWayMax{20};  // until a command in flight reaches the engine
constexpr Duration kReplyMax = minutes(1);
constexpr Duration kBusyPause{50};
constexpr int kTriesMax = 100;
constexpr int kSlow = 30;  // per mille of the commands before which a comparison pauses
constexpr Duration kPauseMax = minutes(10);

Request request_of(Command command, MerchantId merchant) {
  Request request;
  request.command = std::move(command);
  request.merchant_id = merchant;
  request.cause = {.kind = CauseKind::statement};
  request.request_id = "statement";
  return request;
}

}  // namespace

void SimCommandSender::wait(Time until) {
  while (is_alive() && scheduler_.step(until)) continue;
}

SimCommandSender::InFlight SimCommandSender::start(Request request, Duration way) {
  if (scheduler_.happens(Fault::request_doubled)) client_.any_engine().submit(request);
  InFlight sent{std::move(request), std::make_shared<std::optional<Reply>>()};
  Request first = sent.request;
  first.reply = [answer = sent.answer](const Reply& reply) { *answer = reply; };
  if (way == Duration{0})
    engine_.submit(std::move(first));
  else
    scheduler_.after(way, [&engine = engine_, life = life_, first = std::move(first)] {
      if (engine.life() == life) engine.submit(first);
    });
  return sent;
}

// Repeats the command while the engine is busy.
Result<Reply> SimCommandSender::reply_of(InFlight sent) {
  for (int tries = 0; tries < kTriesMax; ++tries) {
    const Time until = scheduler_.now() + kReplyMax;
    while (!*sent.answer && is_alive() && scheduler_.step(until)) continue;
    if (!*sent.answer) return fail("the server has crashed or does not reply");
    if (!should_retry(**sent.answer)) return std::move(**sent.answer);
    wait(scheduler_.now() + kBusyPause);
    if (!is_alive()) return fail("the server has crashed");
    sent = start(std::move(sent.request), Duration{0});
  }
  return fail("the engine is busy");
}

Result<Reply> SimCommandSender::submit(Command command, MerchantId merchant) {
  if (!is_alive()) return fail("the server has crashed");
  return reply_of(start(request_of(std::move(command), merchant), Duration{0}));
}

Result<void> SimCommandSender::send(Command command, MerchantId merchant) {
  if (in_flight_.size() == kInFlightMax)
    if (auto settled = settle_first(); !settled) return settled;
  if (!is_alive()) return fail("the server has crashed");
  in_flight_.push_back(
      start(request_of(std::move(command), merchant), scheduler_.random().between(Duration{0}, kWayMax)));
  return {};
}

Result<void> SimCommandSender::settle_first() {
  InFlight first = std::move(in_flight_.front());
  in_flight_.pop_front();
  const auto reply = without_refusal(reply_of(std::move(first)));
  return reply ? Result<void>{} : std::unexpected(reply.error());
}

Result<void> SimCommandSender::settle() {
  while (!in_flight_.empty())
    if (auto settled = settle_first(); !settled) return settled;
  return {};
}

Result<void> SimCommandSender::give_way() { return is_alive() ? Result<void>{} : fail("the server has crashed"); }

// Returns false if the command is to be omitted.
bool ComparisonSender::prepare(Command& command) {
  if (bug_ != nullptr && bug_->statement_command != nullptr && !bug_->statement_command(command, auditor_))
    return false;
  if (scheduler().random().chance(kSlow)) wait(scheduler().now() + scheduler().random().spread(Duration(1), kPauseMax));
  return true;
}

Result<Reply> ComparisonSender::submit(Command command, MerchantId merchant) {
  if (!prepare(command)) return Reply{};
  const Time from = scheduler().now();
  auto reply = SimCommandSender::submit(command, merchant);
  if (!reply) return reply;
  if (reply->refusal)
    auditor_.refused(command, *reply->refusal);
  else
    auditor_.recorded(command, from, scheduler().now());
  return reply;
}

Result<void> ComparisonSender::send(Command command, MerchantId merchant) {
  return prepare(command) ? SimCommandSender::send(std::move(command), merchant) : Result<void>{};
}

}  // namespace finality::sim
