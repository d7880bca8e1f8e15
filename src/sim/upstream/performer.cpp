#include "sim/upstream/performer.h"

#include <algorithm>

#include "base/limits.h"
#include "model/out_trade_no.h"
#include "worker/effects/perform_delivery.h"
#include "worker/effects/report_result.h"

namespace finality::sim {
namespace {

using std::chrono::hours;

constexpr Duration kLateMax = hours(30);
constexpr int kStatusGone = 410;

template <class Row>
std::optional<SettleWalletHold> settle_hold(const std::string& channel, const Row& row) {
  if (channel != kWallet) return std::nullopt;
  return SettleWalletHold{row.merchant_id, row.order_id, row.id, row.currency};
}

// Returns the command of a call that the wallet performs without a request; empty for calls to a channel.
std::optional<SettleWalletHold> wallet_command_of(const ChannelCall&) { return std::nullopt; }
std::optional<SettleWalletHold> wallet_command_of(const RefundCall&) { return std::nullopt; }
std::optional<SettleWalletHold> wallet_command_of(const AuthorizationCall& call) {
  return settle_hold(channel_of(call), call.authorization);
}
std::optional<SettleWalletHold> wallet_command_of(const CaptureCall& call) {
  return settle_hold(channel_of(call), call.capture);
}

}  // namespace

void Performer::perform(int engine, std::vector<Effect> effects) {
  for (Effect& effect : effects) {
    if (bug_ != nullptr && bug_->effect != nullptr) bug_->effect(effect);
    auditor_.requested(effect);
    if (scheduler_.happens(Fault::effect_dropped)) continue;
    const int life = engines_[static_cast<std::size_t>(engine)]->life();
    scheduler_.after(scheduler_.random().spread(Duration(0), Duration(50)),
                     [this, engine, life, effect = std::move(effect)] {
                       if (engines_[static_cast<std::size_t>(engine)]->life() != life) return;
                       std::visit([&](const auto& detail) { perform_effect(engine, detail); }, effect);
                     });
  }
}

Performer::SimExchange Performer::begin(int engine, Time deadline) {
  const SimEngine& sender = *engines_[static_cast<std::size_t>(engine)];
  return {engine, sender.life(), sender.now(), deadline - sender.now()};
}

// Simulates one call of the channel: the request arrives before its deadline or is lost, the reply can be lost, late or
// duplicated. `act` runs at the channel, `report` receives the reply, or empty on timeout.
template <class Act, class Report>
void Performer::call_channel(const SimExchange& exchange, Act act, Report report) {
  if (exchange.time_out <= Duration{0}) return;  // too late to send; the row becomes due again
  const auto report_timeout = [this, report](Duration after) {
    scheduler_.after(after, [report] { report(std::nullopt); });
  };
  if (scheduler_.happens(Fault::call_lost)) return report_timeout(exchange.time_out);
  const Duration there = scheduler_.random().spread(Duration(1), std::min(exchange.time_out, Duration(5000)));
  scheduler_.after(there, [this, exchange, act, report, report_timeout, there] {
    const auto reply = act();
    const Duration left = exchange.time_out - there;
    if (scheduler_.happens(Fault::answer_doubled))
      scheduler_.after(scheduler_.random().spread(Duration(1), kLateMax), [report, reply] { report(reply); });
    if (scheduler_.happens(Fault::answer_lost)) return report_timeout(left);
    const bool late = scheduler_.happens(Fault::answer_late);
    const Duration back = late && scheduler_.random().chance(500)
                              ? scheduler_.random().between(Duration(1), kLateMax)
                              : scheduler_.random().spread(Duration(1), late ? kLateMax : Duration(2000));
    if (back > left) report_timeout(left);
    if (back <= left || late) scheduler_.after(back, [report, reply] { report(reply); });
  });
}

Evidence Performer::carry_out(const ChannelCall& call) {
  const Payment& payment = call.payment;
  if (call.kind == ChannelCallKind::send_payment)
    return upstream_.send(payment.channel, payment.out_trade_no, payment.amount, payment.currency);
  if (call.kind == ChannelCallKind::close_payment) return upstream_.close(payment.channel, payment.out_trade_no);
  return upstream_.query(payment.channel, payment.out_trade_no, payment.query_total_of);
}

RefundEvidence Performer::carry_out(const RefundCall& call) {
  if (call.kind == RefundCallKind::query_refund) return upstream_.query_refund(call.channel, call.out_refund_no);
  return upstream_.refund(call.channel, call.channel_trade_no, call.out_refund_no, call.amount);
}

AuthorizationEvidence Performer::carry_out(const AuthorizationCall& call) {
  const Authorization& row = call.authorization;
  HoldBook& holds = upstream_.holds();
  switch (call.kind) {
    case AuthorizationCallKind::send_authorization:
      return holds.send(row.channel, row.out_trade_no, row.amount, row.currency);
    case AuthorizationCallKind::close_authorization:
      return holds.close(row.channel, row.out_trade_no);
    case AuthorizationCallKind::release_authorization:
      return holds.release(row.channel, row.out_trade_no, out_release_no(row.out_trade_no, row.release_attempts),
                           row.release_amount);
    case AuthorizationCallKind::query_authorization:
      break;
  }
  return holds.query(row.channel, row.out_trade_no);
}

Evidence Performer::carry_out(const CaptureCall& call) {
  const Capture& row = call.capture;
  const std::string& channel = channel_of(call);
  // A capture that was booked from a captured total is queried by the number of its trade.
  if (is_query(call))
    return upstream_.query(channel, row.out_trade_no, row.out_trade_no.empty() ? row.channel_trade_no : std::nullopt);
  return upstream_.capture({channel, call.authorization.out_trade_no, row.out_trade_no, row.amount, row.is_final});
}

void Performer::plant(ChannelCall&) const {}
void Performer::plant(AuthorizationCall& call) const {
  if (bug_ != nullptr && bug_->authorization_call != nullptr) bug_->authorization_call(call);
}
void Performer::plant(CaptureCall& call) const {
  if (bug_ != nullptr && bug_->capture_call != nullptr) bug_->capture_call(call);
}
void Performer::plant(RefundCall& call) const {
  if (bug_ != nullptr && bug_->refund_call != nullptr)
    bug_->refund_call(call, auditor_.orders().orders().at(call.order_id));
}
void Performer::plant(Evidence& evidence, const ChannelCall& call) const {
  if (bug_ != nullptr && bug_->evidence != nullptr) bug_->evidence(evidence, call.payment);
}
void Performer::plant(RefundEvidence& evidence, const RefundCall& call) const {
  if (bug_ != nullptr && bug_->refund_evidence != nullptr) bug_->refund_evidence(evidence, call.out_refund_no);
}

void Performer::plant(AuthorizationEvidence& evidence, const AuthorizationCall&) const {
  if (bug_ != nullptr && bug_->authorization_evidence != nullptr) bug_->authorization_evidence(evidence);
}
void Performer::plant(Evidence& evidence, const CaptureCall& call) const {
  if (bug_ != nullptr && bug_->capture_evidence != nullptr) bug_->capture_evidence(evidence, call.capture);
}

template <class Call>
void Performer::perform_effect(int engine, Call call) {
  using ChannelResult = decltype(carry_out(call));
  plant(call);
  const SimExchange exchange = begin(engine, call.deadline);
  if (const auto command = wallet_command_of(call)) {
    if (exchange.time_out > Duration{0})
      report(exchange, {.command = *command, .merchant_id = merchant_of(call), .cause = {CauseKind::timer, {}}});
    return;
  }
  scheduler_.note(name_of(call.kind), number_of(call), engine);
  const auto shared = std::make_shared<const Call>(std::move(call));
  call_channel(
      exchange, [this, shared] { return carry_out(*shared); },
      [this, shared, exchange](const std::optional<ChannelResult>& reply) {
        ChannelResult result = reply.value_or(ChannelResult{});
        if (!reply) result.code = "timeout";
        result.asked_at = exchange.asked_at;
        result.source = source_of(*shared);
        plant(result, *shared);
        report(exchange, {.command = record_of(*shared, std::move(result)),
                          .merchant_id = merchant_of(*shared),
                          .cause = {source_of(*shared), {}}});
      });
}

bool Performer::is_up(const std::string& url) {
  if (scheduler_.faults_stopped()) return true;
  Time& until = down_until_[url];
  if (scheduler_.happens(Fault::server_down))
    until = scheduler_.now() + scheduler_.random().spread(Duration(1000), hours(40));
  return until <= scheduler_.now();
}

void Performer::perform_effect(int engine, const DeliveryAttempt& deliver) {
  const SimExchange exchange = begin(engine, deliver.deadline);
  if (exchange.time_out <= Duration{0}) return;
  const Delivery& delivery = deliver.delivery;
  scheduler_.note("deliver", to_text(delivery.id), engine);
  net::CallResult outcome{.answered = true, .sent = true};
  outcome.response.status = 200;
  outcome.response.body = delivery.acknowledge == Acknowledge::success_body ? "success" : "";
  if (scheduler_.happens(Fault::server_gone)) {
    outcome.response.status = kStatusGone;
  } else if (!is_up(delivery.url)) {
    if (scheduler_.random().chance(500)) {
      outcome = {.sent = true, .failure = "the server does not answer"};
    } else {
      outcome.response.status = 500;
      outcome.response.body = "down";
    }
  }
  const Duration after =
      outcome.answered ? scheduler_.random().spread(Duration(1), exchange.time_out) : exchange.time_out;
  scheduler_.after(after, [this, exchange, delivery = std::make_shared<const Delivery>(delivery), outcome] {
    RecordDelivery result = result_of_delivery(*delivery, outcome, scheduler_.now());
    if (result.acknowledged) auditor_.received(delivery->id);
    if (bug_ != nullptr && bug_->delivered != nullptr) bug_->delivered(result);
    report(exchange,
           {.command = std::move(result), .merchant_id = delivery->merchant_id, .cause = {CauseKind::timer, {}}});
  });
}

// Submits a result to the engine, as the worker's report_result does. Retries while the engine is busy. After a crash
// of the engine, the result is dropped.
void Performer::report(const SimExchange& exchange, Request request, int tries) {
  SimEngine& engine = *engines_[static_cast<std::size_t>(exchange.engine)];
  if (engine.life() != exchange.life) return;
  Request sent = request;
  sent.reply = [this, exchange, request = std::move(request), tries, from = scheduler_.now()](const Reply& reply) {
    if (reply.refusal)
      auditor_.refused(request.command, *reply.refusal);
    else
      auditor_.recorded(request.command, from, scheduler_.now());
    if (!should_retry(reply) || tries >= limits::kResultTriesMax) return;
    scheduler_.after(result_pause(tries), [this, exchange, request, tries] { report(exchange, request, tries + 1); });
  };
  engine.submit(std::move(sent));
}

}  // namespace finality::sim
