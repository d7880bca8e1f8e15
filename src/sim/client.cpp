#include "sim/client.h"

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
  asking->done = std::move(done);
  Request& request = asking->request;
  request.command = std::move(question.command);
  request.merchant_id = question.merchant_id;
  request.request_id = "req";
  request.show = stage_.random().chance(200);
  request.await_answer = question.await_answer;
  if (!question.key.empty())
    request.idempotency = {hash_of_key(question.merchant_id, "idempotency", {question.key}), sha256_16(question.body)};
  attempt(asking);
}

void Client::attempt(const std::shared_ptr<Asking>& asking) {
  if (asking->answered || ++asking->tries > kTriesMax) return;
  if (!stage_.happens(Fault::request_lost)) send(asking);
  if (stage_.happens(Fault::request_doubled)) send(asking);
  stage_.after(stage_.random().between(seconds(3), minutes(1)), [this, asking] { attempt(asking); });
}

void Client::send(const std::shared_ptr<Asking>& asking) {
  stage_.after(stage_.random().spread(Duration(0), Duration(200)), [this, asking] {
    Request request = asking->request;
    request.reply = [this, asking](const Reply& reply) {
      if (stage_.happens(Fault::reply_lost)) return;
      stage_.after(stage_.random().spread(Duration(0), Duration(500)), [this, asking, reply] { hear(asking, reply); });
    };
    any_engine().submit(std::move(request));
  });
}

void Client::hear(const std::shared_ptr<Asking>& asking, const Reply& reply) {
  stage_.note("answer", asking->key, reply.status);
  if (!asking->key.empty()) auditor_.answered(asking->key, reply, asking->request.await_answer);
  if (asking->answered || asks_again(reply)) return;
  asking->answered = true;
  asking->done(reply);
}

}  // namespace finality::sim
