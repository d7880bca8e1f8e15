#include "sim/world/client.h"

namespace finality::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kTriesMax = 40;

}  // namespace

SimEngine& Client::any_engine() {
  return *engines_[static_cast<std::size_t>(scheduler_.random().below(static_cast<std::int64_t>(engines_.size())))];
}

std::string Client::number(std::string_view prefix) { return fmt::format("{}-{}", prefix, ++last_number_); }

void Client::call(ClientRequest requested, Done done) {
  const auto pending = std::make_shared<PendingCall>();
  pending->key = requested.key;
  pending->first_sent_at = scheduler_.now();
  pending->done = std::move(done);
  Request& request = pending->request;
  request.command = std::move(requested.command);
  request.merchant_id = requested.merchant_id;
  request.request_id = "req";
  pending->recorded = HistoryRecorder::request_of(request.command, requested.key);
  // Requests the object in the reply: always for short objects, and in 20 % of the requests for orders, whose JSON is
  // long.
  const bool is_short =
      pending->recorded && pending->recorded->path != "/v1/orders" && !pending->recorded->path.ends_with("/close");
  request.show = scheduler_.random().chance(200) || is_short;
  request.await_answer = requested.await_answer;
  if (!requested.key.empty())
    request.idempotency = {hash_of_key(requested.merchant_id, "idempotency", {requested.key}),
                           sha256_16(requested.body)};
  attempt(pending);
}

void Client::attempt(const std::shared_ptr<PendingCall>& pending) {
  if (pending->is_complete || ++pending->tries > kTriesMax) return;
  const Duration way = scheduler_.random().spread(Duration(0), Duration(200));
  if (!scheduler_.happens(Fault::request_lost)) send(pending, way);
  // The duplicate arrives at the same or another time, at a random engine, which may process it concurrently.
  if (scheduler_.happens(Fault::request_doubled))
    send(pending, scheduler_.random().chance(500) ? way : scheduler_.random().spread(Duration(0), Duration(200)));
  scheduler_.after(scheduler_.random().between(seconds(3), minutes(1)), [this, pending] { attempt(pending); });
}

void Client::send(const std::shared_ptr<PendingCall>& pending, Duration way) {
  const std::size_t sent = pending->recorded ? recorder_.sent(*pending->recorded) : 0;
  scheduler_.after(way, [this, pending, sent] {
    Request request = pending->request;
    request.reply = [this, pending, sent](const Reply& reply) {
      if (scheduler_.happens(Fault::reply_lost)) return;
      scheduler_.after(scheduler_.random().spread(Duration(0), Duration(500)),
                       [this, pending, sent, reply] { receive(pending, sent, reply); });
    };
    if (bug_ != nullptr && bug_->request != nullptr) bug_->request(request, auditor_);
    any_engine().submit(std::move(request));
  });
}

void Client::receive(const std::shared_ptr<PendingCall>& pending, std::size_t sent, const Reply& reply) {
  if (pending->recorded) recorder_.replied(sent, reply);
  scheduler_.note("answer", pending->key, reply.status);
  auditor_.check_reply(pending->request.command, reply, pending->first_sent_at, scheduler_.now());
  if (!pending->key.empty()) auditor_.check_repetition(pending->key, reply, pending->request.await_answer);
  if (pending->is_complete || is_retryable(reply)) return;
  pending->is_complete = true;
  pending->done(reply);
}

}  // namespace finality::sim
