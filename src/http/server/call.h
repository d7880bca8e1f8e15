// Runs the work of a handler: reads on a reader thread, changes in the engine. Both answer the exchange once.
#pragma once

#include <functional>
#include <optional>

#include "decide/command.h"
#include "engine/request.h"
#include "http/server/api.h"
#include "http/server/exchange.h"
#include "query/show.h"

namespace finality::http {

using ApiHandler = void (*)(Api& api, const HttpExchangePtr& exchange);

void add_route(Api& api, std::string method, std::string pattern, Access access, Role role, ApiHandler handler);

/// Runs `work` on a reader thread and answers with its result, after the checks common to all reads: the role, and that
/// the named merchant exists.
void read(Api& api, const HttpExchangePtr& exchange, std::function<HttpReply(Reader&)> work);

/// Runs `work` on a reader thread. `work` must answer the exchange. For commands that need a read before submission.
void read_then(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work);

/// Returns true if the body is empty or `{}`. Otherwise refuses the exchange.
bool has_no_fields(const HttpExchangePtr& exchange);
/// Returns true if the URL has no query. Otherwise refuses the exchange.
bool has_no_query(const HttpExchangePtr& exchange);

/// Returns 200 with the JSON, or the refusal.
HttpReply shown(query::Shown json);

struct Submission {
  Command command;
  MerchantId merchant_id;  // selects the lane; 0 without a merchant
  /// Delays the answer until the channel has replied, for at most limits::kAnswerWait; then answers with the current
  /// object.
  bool await_answer = false;
  /// Refusal to return instead of executing the command, unless an idempotency record has an answer.
  std::optional<Refusal> refuse_with = std::nullopt;
  /// Called before the answer; may change the reply. Runs on a lane thread: it must not block.
  std::function<void(Reply&)> on_reply = nullptr;
  /// Called if the engine does not find the object. Returns the order that may have been archived, or 0. If that order
  /// is archived, the answer is the refusal `archived`; otherwise it is the engine's refusal.
  std::function<Result<std::int64_t>(Reader&)> archived_order = nullptr;
};

/// Submits the command with the cause, idempotency key and role of the exchange. Answers with the engine's reply: its
/// body, or the current object if the reply has show_object.
void submit(Api& api, const HttpExchangePtr& exchange, Submission submission);

}  // namespace finality::http
