// Invariant 9, idempotency: one key has one reply, and the same key with another request is rejected with 422.
#pragma once

#include <map>
#include <string>

#include "engine/request.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class IdempotencyAuditor {
 public:
  explicit IdempotencyAuditor(Findings& findings) : findings_(findings) {}

  /// Checks a definite reply to a request with that key. `awaited`: the first reply may have waited for the channel's
  /// result.
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

/// True if a repeated request may get a different reply.
bool is_retryable(const Reply& reply);

}  // namespace finality::sim
