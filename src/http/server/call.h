// How a handler gets its work done: a read by a reader, a change by the engine. Either answers the exchange once.
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

/// Runs `work` on a reader's thread and answers with what it comes to, after the checks every read has in common: the
/// role, and that the merchant named exists.
void read(Api& api, const HttpExchangePtr& exchange, std::function<HttpReply(Reader&)> work);

/// Runs `work` on a reader's thread; `work` answers. For what a command must know before it can be submitted.
void read_then(Api& api, const HttpExchangePtr& exchange, std::function<void(Reader&)> work);

/// True when the body is empty or `{}`; otherwise the exchange has been refused.
bool has_no_fields(const HttpExchangePtr& exchange);
/// True when there is no query; otherwise the exchange has been refused.
bool has_no_query(const HttpExchangePtr& exchange);

/// 200 with the JSON, or the refusal.
HttpReply shown(query::Shown json);

struct Submission {
  Command command;
  MerchantId merchant_id;  // chooses the lane; 0 for what belongs to none
  /// The answer waits for the channel's word, at most limits::kAnswerWait; then the object is shown as it is.
  bool await_answer = false;
  /// The answer in place of the command, unless the idempotency record has one.
  std::optional<Refusal> refuse_with = std::nullopt;
  /// Runs before the answer and may change the reply. Called on a lane's thread: hand over, do not work there.
  std::function<void(Reply&)> on_reply = nullptr;
  /// Where the engine finds nothing: names the order that may have been archived, 0 for none. The answer is then the
  /// refusal `archived`. Without it, the engine's refusal is the answer.
  std::function<Result<std::int64_t>(Reader&)> archived_order = nullptr;
};

/// Submits the command with the exchange's cause, idempotency key and role. Answers with the engine's reply: its body,
/// or the object as it is now when the reply says so.
void submit(Api& api, const HttpExchangePtr& exchange, Submission submission);

}  // namespace finality::http
