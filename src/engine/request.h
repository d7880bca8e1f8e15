// A command on its way through the engine, and the answer to it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "decide/command.h"

namespace finality {

struct Idempotency {
  Hash16 key_hash{};     // hash_of_key(merchant, "idempotency", {method, path, scope, key})
  Hash16 fingerprint{};  // of the body's bytes
};

struct Request;

struct Reply {
  int status = 200;
  std::string body;  // JSON: the object, or the problem
  std::optional<ObjectRef> object;
  std::optional<Refusal> refusal;  // set exactly when status >= 400
  bool replayed = false;           // from the idempotency record
  /// The repetition of a request whose first answer was not kept, or a held reply whose object could not be read at the
  /// drain: the caller shows `object` in its current state, with `status`.
  bool show_object = false;
  /// With a refusal that asks to be sent again (status 503): the request without its `reply`, to be submitted again
  /// without a copy.
  std::shared_ptr<Request> request;
};

struct Request {
  Command command;
  MerchantId merchant_id;  // chooses the lane; 0 for what belongs to none
  Cause cause;
  std::string request_id;
  std::optional<Idempotency> idempotency;
  /// The reply in place of the command, unless the idempotency record has one: the record is read first.
  std::optional<Refusal> refuse_with;
  /// Show the object in the reply's body, as the API does.
  bool show = false;
  /// Hold the reply back while the payment at hand is owed an answer. The caller has a timer of its own (limits::
  /// kAnswerWait) and shows the object as it is when that runs out first.
  bool await_answer = false;
  /// Runs once, on a thread that all answers of the lane wait for: hand over, do not work there.
  std::function<void(Reply)> reply;
  /// With `await_answer`: runs as soon as the command is durable and its reply is held back, with the object and the
  /// status the reply will have. May be empty.
  std::function<void(ObjectRef object, int status)> committed;
};

/// Whether the reply refuses the request only for now.
inline bool asks_to_come_again(const Reply& reply) {
  return reply.refusal && info_of(reply.refusal->code).status == 503;
}

}  // namespace finality
