// The engine's input and output: a request with a command, and the reply to the request.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "decide/command.h"

namespace finality {

/// The hashed Idempotency-Key of a request, and the fingerprint of the whole request.
struct Idempotency {
  Hash16 key_hash{};     // hash_of_key(merchant, "idempotency", {method, path, scope, key})
  Hash16 fingerprint{};  // hash of method, path, query and body
  /// Hash of the body: the fingerprint in records that were stored before fingerprints included the query. A request
  /// that was first sent before the upgrade matches its record. Empty: no such record can exist.
  std::optional<Hash16> body_fingerprint{};

  /// Whether a record with this fingerprint is the record of the request.
  bool matches(const Hash16& stored) const { return stored == fingerprint || stored == body_fingerprint; }
};

struct Request;

/// The refusal of a repeated request whose first one still waits for its reply.
inline Refusal key_in_use() {
  return {RefusalCode::idempotency_key_in_use,
          "The first request with this Idempotency-Key is still in progress. Retry in one second.",
          "Idempotency-Key",
          {}};
}

/// The reply to a request, as the engine passes it to Request::reply.
struct Reply {
  int status = 200;
  std::string body;  // JSON: the object, or the problem
  std::optional<ObjectRef> object;
  std::optional<Refusal> refusal;  // set if and only if status >= 400
  bool replayed = false;           // replayed from the idempotency record
  /// `body` is empty: the caller must render `object` in its current state, with `status`. Set for a repeated request
  /// whose first reply was not stored, and for a held reply if no request was sent (Engine::release_unsent()), or if
  /// its object could not be read during the drain.
  bool show_object = false;
  /// With `show_object`: another node may hold the first reply. The caller must refuse with key_in_use() while the
  /// channel's result of `object` is outstanding (query::is_result_outstanding()).
  bool refuse_outstanding = false;
  /// Set with a retryable refusal (status 503): the request without its `reply` function, so that the caller can
  /// submit the request again.
  std::shared_ptr<Request> request;
};

struct Request {
  Command command;
  MerchantId merchant_id;  // selects the lane; 0 for commands without a merchant
  Cause cause;
  std::string request_id;
  std::optional<Idempotency> idempotency;
  /// If set, the command is refused with this refusal, unless an idempotency record already has a reply.
  std::optional<Refusal> refuse_with;
  /// If false, `refuse_with` also replaces the reply of an idempotency record, because the caller may not see it.
  /// REQUIRES: `refuse_with` is set, or this is true.
  bool may_replay = true;
  /// Whether to render the object as the reply's body. Set for requests of the API.
  bool show = false;
  /// Whether to hold the reply while the result of the payment or refund is outstanding at the channel. The caller must
  /// set a timer (limits::kAnswerWait), and render the object in its current state if the timer expires first.
  bool await_answer = false;
  /// Must not block. Called at most once: on a thread that all replies of the lane share, or within
  /// Engine::submit() for `busy`. Not called if a held reply is dropped after the caller's timer has expired.
  std::function<void(Reply)> reply;
  /// May be empty. With `await_answer`, called after the command is durable, if its reply is held. Arguments: the
  /// object and the HTTP status of the later reply.
  std::function<void(ObjectRef object, int status)> committed;
};

/// True if the reply is a temporary refusal (status 503), after which the request should be retried.
inline bool should_retry(const Reply& reply) { return reply.refusal && info_of(reply.refusal->code).status == 503; }

}  // namespace finality
