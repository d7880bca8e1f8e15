#include "sim/world/client.h"

namespace finality::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kTriesMax = 40;

}  // namespace

SimEngine& Client::any_engine() {
  return *engines_[static_cast<std::size_t>(stage_.random().below(static_cast<std::int64_t>(engines_.size())))];
}

std::string Client::number(std::string_view prefix) { return fmt::format("{}-{}", prefix, ++last_number_); }

void Client::ask(Question question, Done done) {
  const auto asking = std::make_shared<Asking>();
  asking->key = question.key;
  asking->asked = stage_.now();
  asking->done = std::move(done);
  Request& request = asking->request;
  request.command = std::move(question.command);
  request.merchant_id = question.merchant_id;
  request.request_id = "req";
  asking->told = Historian::request_of(request.command, question.key);
  // Whole orders are long, and are looked at often enough.
  const bool is_short = asking->told && asking->told->path != "/v1/orders" && !asking->told->path.ends_with("/close");
  request.show = stage_.random().chance(200) || is_short;
  request.await_answer = question.await_answer;
  if (!question.key.empty())
    request.idempotency = {hash_of_key(question.merchant_id, "idempotency", {question.key}), sha256_16(question.body)};
  attempt(asking);
}

void Client::attempt(const std::shared_ptr<Asking>& asking) {
  if (asking->answered || ++asking->tries > kTriesMax) return;
  const Duration way = stage_.random().spread(Duration(0), Duration(200));
  if (!stage_.happens(Fault::request_lost)) send(asking, way);
  // The other one comes later, or at once, elsewhere: then both may be decided at the same time.
  if (stage_.happens(Fault::request_doubled))
    send(asking, stage_.random().chance(500) ? way : stage_.random().spread(Duration(0), Duration(200)));
  stage_.after(stage_.random().between(seconds(3), minutes(1)), [this, asking] { attempt(asking); });
}

void Client::send(const std::shared_ptr<Asking>& asking, Duration way) {
  const std::size_t sent = asking->told ? historian_.asked(*asking->told) : 0;
  stage_.after(way, [this, asking, sent] {
    Request request = asking->request;
    request.reply = [this, asking, sent](const Reply& reply) {
      if (stage_.happens(Fault::reply_lost)) return;
      stage_.after(stage_.random().spread(Duration(0), Duration(500)),
                   [this, asking, sent, reply] { hear(asking, sent, reply); });
    };
    if (bug_ != nullptr && bug_->request != nullptr) bug_->request(request, auditor_);
    any_engine().submit(std::move(request));
  });
}

void Client::hear(const std::shared_ptr<Asking>& asking, std::size_t sent, const Reply& reply) {
  if (asking->told) historian_.answered(sent, reply);
  stage_.note("answer", asking->key, reply.status);
  auditor_.told(asking->request.command, reply, asking->asked, stage_.now());
  if (!asking->key.empty()) auditor_.answered(asking->key, reply, asking->request.await_answer);
  if (asking->answered || asks_again(reply)) return;
  asking->answered = true;
  asking->done(reply);
}

}  // namespace finality::sim
