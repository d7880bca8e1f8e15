// A command on its way through the engine, and its reply.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "decide/command.h"

namespace finality {

/// The Idempotency-Key of a request.
struct Idempotency {
  Hash16 key_hash{};     // hash_of_key(merchant, "idempotency", {method, path, scope, key})
  Hash16 fingerprint{};  // of the request body's bytes
};

struct Request;

/// The reply to a request.
struct Reply {
  int status = 200;
  std::string body;  // JSON: the object, or the problem
  std::optional<ObjectRef> object;
  std::optional<Refusal> refusal;  // set if and only if status >= 400
  bool replayed = false;           // replayed from the idempotency record
  /// The caller must show `object` in its current state, with `status`. Set for a repeated request whose first reply
  /// was not stored, and for a held reply whose object could not be read during the drain.
  bool show_object = false;
  /// With a retryable refusal (status 503): the request without its `reply`, so that the caller can resubmit it without
  /// a copy.
  std::shared_ptr<Request> request;
};

struct Request {
  Command command;
  MerchantId merchant_id;  // selects the lane; 0 for commands without a merchant
  Cause cause;
  std::string request_id;
  std::optional<Idempotency> idempotency;
  /// Reject the command with this refusal, unless the idempotency record has a reply: the record has priority.
  std::optional<Refusal> refuse_with;
  /// Render the object into the reply's body, as the API does.
  bool show = false;
  /// Hold the reply while the payment's result is outstanding. The caller has its own timer (limits::kAnswerWait) and
  /// shows the object in its current state when the timer expires first.
  bool await_answer = false;
  /// Called exactly once, on a thread that all replies of the lane share. It must forward the reply and return quickly.
  std::function<void(Reply)> reply;
  /// With `await_answer`: called once the command is durable and its reply is held, with the object and the status that
  /// the reply will have. May be empty.
  std::function<void(ObjectRef object, int status)> committed;
};

/// True if the refusal is temporary and the request should be retried.
inline bool should_retry(const Reply& reply) { return reply.refusal && info_of(reply.refusal->code).status == 503; }

}  // namespace finality
