#include "http/server/call.h"

#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "http/input/fields.h"
#include "http/server/idempotency.h"
#include "http/server/problem.h"
#include "http/server/request_id.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

Cause cause_of(const HttpExchange& exchange) {
  const std::string_view trace = valid_traceparent(exchange.request().headers.get("traceparent"));
  const bool merchant = exchange.principal().role == Role::merchant;
  return {.kind = merchant ? CauseKind::api : CauseKind::operator_,
          .trigger = ApiRequest{exchange.request_id(), exchange.principal().key_id},
          .traceparent = std::string(trace)};
}

bool is_get_request(const HttpExchange& exchange) {
  return exchange.request().method == "GET" || exchange.request().method == "HEAD";
}

// Refuses to read the result of a command, which has already been executed or refused.
Refusal unread_result() {
  return {RefusalCode::busy,
          "Too many requests are queued to read the result of this one. Retry it with the same Idempotency-Key after "
          "one second.",
          {},
          {}};
}

// Answers with the current JSON of the object. `status` is the HTTP status of the command that created or changed it.
void show(Api& api, const HttpExchangePtr& exchange, ObjectRef object, int status, bool replayed,
          bool refuse_outstanding = false) {
  read(api, exchange, [&api, exchange, object, status, replayed, refuse_outstanding](Reader& reader) -> HttpReply {
    if (refuse_outstanding) {
      const auto is_outstanding = query::is_result_outstanding(reader, exchange->principal().merchant_id, object);
      if (!is_outstanding) return std::unexpected(is_outstanding.error());
      if (*is_outstanding) return std::unexpected(key_in_use());
    }
    query::Shown shown = query::show_object(reader, api.services.policy, api.services.clock.now(),
                                            exchange->principal().merchant_id, object);
    if (!shown) return std::unexpected(std::move(shown.error()));
    net::HttpResponse response = json_response(status, std::move(*shown));
    if (replayed) response.headers.add("Idempotent-Replayed", "true");
    return response;
  });
}

// Returns the callback that starts the timer of a delayed answer (Submission::await_answer). The timer owns the
// exchange, so that the client gets a response even if the engine drops the reply.
std::function<void(ObjectRef, int)> start_wait(Api& api, const HttpExchangePtr& exchange) {
  return [weak = api.weak_from_this(), exchange, &io = api.services.io](ObjectRef object, int status) {
    io.after(limits::kAnswerWait, [weak, exchange, object, status] {
      const std::shared_ptr<Api> api = weak.lock();
      if (api && !exchange->answered()) show(*api, exchange, object, status, false);
    });
  };
}

void answer_with(Api& api, const HttpExchangePtr& exchange, Reply reply) {
  if (reply.show_object && reply.object)
    return show(api, exchange, *reply.object, reply.status, reply.replayed, reply.refuse_outstanding);
  // A replayed refusal has a body but no `refusal`. It needs no Retry-After, because refusals with Retry-After are not
  // stored in idempotency records.
  const int retry_after = reply.refusal ? retry_after_of(*reply.refusal) : 0;
  net::HttpResponse response = reply.status >= 400 ? problem_response(reply.status, std::move(reply.body), retry_after)
                                                   : json_response(reply.status, std::move(reply.body));
  if (reply.replayed) response.headers.add("Idempotent-Replayed", "true");
  exchange->answer(std::move(response));
}

// Answers a request whose object the engine did not find. Refuses with `archived` if the order was archived, otherwise
// with `missing`.
void answer_missing(Api& api, const HttpExchangePtr& exchange, Refusal missing,
                    std::function<Result<std::int64_t>(Reader&)> archived_order) {
  read(api, exchange,
       [exchange, missing = std::move(missing), order = std::move(archived_order)](Reader& reader) -> HttpReply {
         const Result<std::int64_t> id = order(reader);
         if (!id) return std::unexpected(query::unreadable(id.error()));
         return std::unexpected(
             query::find_archived(reader, exchange->principal().merchant_id, OrderId{*id}).value_or(missing));
       });
}

std::function<void(Reply)> answer_of(Api& api, const HttpExchangePtr& exchange, Submission& submission) {
  return [&api, exchange, on_reply = std::move(submission.on_reply),
          archived_order = std::move(submission.archived_order)](Reply reply) {
    if (on_reply) on_reply(reply);
    if (archived_order && reply.refusal && reply.refusal->code == RefusalCode::not_found)
      return answer_missing(api, exchange, std::move(*reply.refusal), archived_order);
    answer_with(api, exchange, std::move(reply));
  };
}

}  // namespace

void add_route(Api& api, std::string method, std::string pattern, Access access, Role role, ApiHandler handler,
               const RouteOptions& options) {
  api.router.add({.method = std::move(method),
                  .pattern = std::move(pattern),
                  .access = access,
                  .role = role,
                  .handler = [&api, handler](const HttpExchangePtr& exchange) { handler(api, exchange); },
                  .reads_query = options.reads_query,
                  .body_bytes_max = options.body_bytes_max,
                  .traffic = options.traffic});
}

bool is_executable(const HttpExchangePtr& exchange) {
  const Principal& principal = exchange->principal();
  return principal.allowed && principal.merchant_exists && idempotency_of(exchange->request(), principal).has_value();
}

bool has_no_fields(const HttpExchangePtr& exchange) {
  const auto fields = Fields::parse(exchange->request().body, EmptyBody::no_fields);
  const auto checked = fields ? fields->finish() : std::unexpected(fields.error());
  if (!checked) exchange->refuse(checked.error());
  return checked.has_value();
}

std::expected<void, Refusal> queue_read(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work,
                                        ReadTask::Closed closed) {
  return api.readers->submit({.client = exchange->read_client(),
                              .run =
                                  [exchange, work = std::move(work)](Reader& reader) {
                                    const log::RequestScope scope(exchange->request_id());
                                    const ReadScope own_rows(reader, exchange->principal().merchant_id);
                                    work(reader);
                                  },
                              .is_limited = is_get_request(*exchange),
                              .closed = std::move(closed)});
}

void read(Api& api, const HttpExchangePtr& exchange, std::function<HttpReply(Reader&)> work) {
  if (!exchange->principal().allowed) return exchange->refuse(forbidden(exchange->principal()));
  if (!exchange->principal().merchant_exists) return exchange->refuse(query::no_such("merchant"));
  const bool is_get = is_get_request(*exchange);
  const auto queued = queue_read(
      api, exchange, [exchange, work = std::move(work)](Reader& reader) { exchange->answer(work(reader)); },
      is_get ? exchange->request().closed : nullptr);
  if (!queued) exchange->refuse(is_get ? queued.error() : unread_result());
}

HttpReply shown(query::Shown json) {
  if (!json) return std::unexpected(std::move(json.error()));
  return json_response(200, std::move(*json));
}

void read_then(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work) {
  const auto queued = queue_read(api, exchange, std::move(work), nullptr);
  if (!queued) exchange->refuse(queued.error());
}

void submit(Api& api, const HttpExchangePtr& exchange, Submission submission) {
  const Principal& principal = exchange->principal();
  Request request{};
  request.command = std::move(submission.command);
  request.merchant_id = submission.merchant_id;
  if (exchange->request().method == "POST") {
    auto idempotency = idempotency_of(exchange->request(), principal);
    if (!idempotency) return exchange->refuse(idempotency.error());
    request.idempotency = *idempotency;
  }
  if (principal.allowed && !principal.merchant_exists) return exchange->refuse(query::no_such("merchant"));
  exchange->drop_body();

  request.cause = cause_of(*exchange);
  request.request_id = exchange->request_id();
  request.refuse_with = principal.allowed ? std::move(submission.refuse_with) : forbidden(principal);
  request.may_replay = principal.allowed;
  request.show = true;
  request.await_answer = submission.await_answer;
  if (submission.await_answer) request.committed = start_wait(api, exchange);
  request.reply = answer_of(api, exchange, submission);
  api.services.engine.submit(std::move(request));
}

}  // namespace finality::http
