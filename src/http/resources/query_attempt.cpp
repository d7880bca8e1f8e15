#include "http/resources/query_attempt.h"

#include <utility>

#include "http/server/idempotency.h"
#include "query/show.h"

namespace finality::http {
namespace {

static_assert(limits::kQueryPause <= std::chrono::seconds(info_of(RefusalCode::rate_limited).retry_after_seconds),
              "a client that waits for Retry-After is not refused again");

Refusal queried_just_now(ObjectType type) {
  return {RefusalCode::rate_limited,
          "The " + std::string(name_of(type)) +
              " was queried less than a second ago. Retry after the number of seconds in Retry-After.",
          {},
          {}};
}

// A query starts a pause, during which further queries are refused. If the engine does not execute a query, the pause
// that it started ends.
void limit_rate(Api& api, ObjectRef attempt, Submission& submission) {
  if (!api.attempts_queried.put_if_absent(attempt, true, api.services.clock.now())) {
    submission.refuse_with = queried_just_now(attempt.type);
    return;
  }
  submission.on_reply = [&api, attempt](const Reply& reply) {
    if (reply.refusal || reply.replayed) api.attempts_queried.erase(attempt);
  };
}

}  // namespace

void query_attempt(Api& api, const HttpExchangePtr& exchange, ObjectRef attempt,
                   std::function<Command(OrderId)> command_for) {
  const Principal& principal = exchange->principal();
  // Checks the Idempotency-Key before the pause starts, because a refused request must not start a pause. submit()
  // checks the key again.
  if (const auto key = idempotency_of(exchange->request(), principal); !key) return exchange->refuse(key.error());
  read_then(api, exchange, [&api, exchange, attempt, command_for = std::move(command_for)](Reader& reader) {
    const MerchantId merchant = exchange->principal().merchant_id;
    const auto found = query::find_order_of(reader, merchant, attempt);
    Submission submission{
        .command = command_for(found ? found->order.id : OrderId{}), .merchant_id = merchant, .await_answer = true};
    if (exchange->principal().allowed && found) limit_rate(api, attempt, submission);
    submit(api, exchange, std::move(submission));
  });
}

}  // namespace finality::http
