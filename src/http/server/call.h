// Functions with which handlers execute requests: reads run on a reader thread, changes in the engine.
#pragma once

#include <functional>
#include <optional>

#include "base/limits.h"
#include "decide/command.h"
#include "engine/request.h"
#include "http/server/api.h"
#include "http/server/exchange.h"
#include "query/show.h"

namespace finality::http {

using ApiHandler = void (*)(Api& api, const HttpExchangePtr& exchange);

/// Properties that few routes have (HttpRoute).
struct RouteOptions {
  bool reads_query = false;
  std::size_t body_bytes_max = limits::kBodyBytesMax;
  Traffic traffic = Traffic::requests;
};
/// Adds a route (HttpRoute).
void add_route(Api& api, std::string method, std::string pattern, Access access, Role role, ApiHandler handler,
               const RouteOptions& options = {});

/// Queues `work` for a reader thread, in the part of the queue of the exchange's client. Refuses like ReaderPool. If
/// the request names a merchant, `work` may find only rows of this merchant (ReadScope). If the request is no GET
/// request, the read belongs to a command, and the limit of queued reads per client does not apply. `closed`: drops the
/// read if that is set before it runs; null: always runs it.
std::expected<void, Refusal> queue_read(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work,
                                        ReadTask::Closed closed);

/// Runs `work` on a reader thread and answers the exchange with its result. Refuses with `forbidden` (the key must not
/// use the route), `not_found` (unknown merchant), `rate_limited` or `busy` (the queue of reads is full). A read of a
/// GET request is dropped if the client closes its connection before it runs.
void read(Api& api, const HttpExchangePtr& exchange, std::function<HttpReply(Reader&)> work);

/// Runs `work` on a reader thread, for commands that need a read before submission. `work` must answer the exchange, or
/// submit a command. Refuses with `rate_limited` or `busy` if the queue of reads is full. Does not check the role or
/// the merchant.
void read_then(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work);

/// Whether submit() would have the engine execute a command of the exchange: its key may use the route, its merchant
/// exists, and its Idempotency-Key is well-formed. REQUIRES: the body is not dropped.
bool is_executable(const HttpExchangePtr& exchange);

/// Returns true if the body is empty or `{}`. Otherwise refuses the exchange with `invalid_request` and returns false.
bool has_no_fields(const HttpExchangePtr& exchange);

/// Returns a response with status 200 and the JSON, or the refusal if `json` contains one.
HttpReply shown(query::Shown json);

struct Submission {
  Command command;
  MerchantId merchant_id;  // selects the engine's lane; 0 for a command without a merchant
  /// If true, the answer is delayed until the channel's result is recorded, but at most for limits::kAnswerWait. The
  /// client then receives the current object.
  bool await_answer = false;
  /// If set, the engine returns this refusal instead of executing the command. A repeated request still gets the stored
  /// reply of its Idempotency-Key, unless the key may not use the route.
  std::optional<Refusal> refuse_with = std::nullopt;
  /// Called with the engine's reply before the exchange is answered; may change the reply. Runs on a lane thread and
  /// must not block.
  std::function<void(Reply&)> on_reply = nullptr;
  /// Called on a reader thread if the engine refuses with `not_found`. Returns the id of the order that may have been
  /// archived, or 0. If this order is archived, the client receives the refusal `archived`, otherwise `not_found`.
  std::function<Result<std::int64_t>(Reader&)> archived_order = nullptr;
};

/// Submits the command with the cause and Idempotency-Key of the exchange. Answers with the body of the engine's reply,
/// or with the current object if `show_object` is set. Refuses with `invalid_request` (malformed Idempotency-Key),
/// `not_found` (unknown merchant), `forbidden` (the key must not use the route), or the engine's refusal.
void submit(Api& api, const HttpExchangePtr& exchange, Submission submission);

}  // namespace finality::http
