// Checks invariant 9, idempotency: requests with the same Idempotency-Key get the same reply, and a different request
// with the key is refused with status 422.
#pragma once

#include <map>
#include <string>

#include "engine/request.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class IdempotencyAuditor {
 public:
  explicit IdempotencyAuditor(Findings& findings) : findings_(findings) {}

  /// Checks a reply to a request with that Idempotency-Key. `awaited`: the request waited for the channel's result, so
  /// a replayed body may differ.
  void check(const std::string& key, const Reply& reply, bool awaited);

 private:
  struct FirstReply {
    int status = 0;
    std::optional<ObjectRef> object;
    std::string body;
  };

  Findings& findings_;
  std::map<std::string, FirstReply> first_replies_;
};

/// Returns true if the client should repeat the request, because a repetition may get a different reply.
bool is_retryable(const Reply& reply);

}  // namespace finality::sim
