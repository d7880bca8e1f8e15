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

void Client::ask(ClientRequest wanted, Done done) {
  const auto asking = std::make_shared<Asking>();
  asking->key = wanted.key;
  asking->asked = scheduler_.now();
  asking->done = std::move(done);
  Request& request = asking->request;
  request.command = std::move(wanted.command);
  request.merchant_id = wanted.merchant_id;
  request.request_id = "req";
  asking->told = HistoryRecorder::request_of(request.command, wanted.key);
  // Orders with all fields are long and are shown often enough elsewhere.
  const bool is_short = asking->told && asking->told->path != "/v1/orders" && !asking->told->path.ends_with("/close");
  request.show = scheduler_.random().chance(200) || is_short;
  request.await_answer = wanted.await_answer;
  if (!wanted.key.empty())
    request.idempotency = {hash_of_key(wanted.merchant_id, "idempotency", {wanted.key}), sha256_16(wanted.body)};
  attempt(asking);
}

void Client::attempt(const std::shared_ptr<Asking>& asking) {
  if (asking->answered || ++asking->tries > kTriesMax) return;
  const Duration way = scheduler_.random().spread(Duration(0), Duration(200));
  if (!scheduler_.happens(Fault::request_lost)) send(asking, way);
  // The duplicate arrives later, or concurrently at another engine; both may then be decided at the same time.
  if (scheduler_.happens(Fault::request_doubled))
    send(asking, scheduler_.random().chance(500) ? way : scheduler_.random().spread(Duration(0), Duration(200)));
  scheduler_.after(scheduler_.random().between(seconds(3), minutes(1)), [this, asking] { attempt(asking); });
}

void Client::send(const std::shared_ptr<Asking>& asking, Duration way) {
  const std::size_t sent = asking->told ? recorder_.asked(*asking->told) : 0;
  scheduler_.after(way, [this, asking, sent] {
    Request request = asking->request;
    request.reply = [this, asking, sent](const Reply& reply) {
      if (scheduler_.happens(Fault::reply_lost)) return;
      scheduler_.after(scheduler_.random().spread(Duration(0), Duration(500)),
                       [this, asking, sent, reply] { hear(asking, sent, reply); });
    };
    if (bug_ != nullptr && bug_->request != nullptr) bug_->request(request, auditor_);
    any_engine().submit(std::move(request));
  });
}

void Client::hear(const std::shared_ptr<Asking>& asking, std::size_t sent, const Reply& reply) {
  if (asking->told) recorder_.answered(sent, reply);
  scheduler_.note("answer", asking->key, reply.status);
  auditor_.told(asking->request.command, reply, asking->asked, scheduler_.now());
  if (!asking->key.empty()) auditor_.answered(asking->key, reply, asking->request.await_answer);
  if (asking->answered || asks_again(reply)) return;
  asking->answered = true;
  asking->done(reply);
}

}  // namespace finality::sim
