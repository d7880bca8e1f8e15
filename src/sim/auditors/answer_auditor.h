// Invariant 9, idempotency: one key has one reply, and the same key with another request is rejected with 422.
#pragma once

#include <map>
#include <string>

#include "engine/request.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class AnswerAuditor {
 public:
  explicit AnswerAuditor(Findings& findings) : findings_(findings) {}

  /// Checks a definite reply to a request with that key. `awaited`: the first reply may have been held.
  void hear(const std::string& key, const Reply& reply, bool awaited);

 private:
  struct Told {
    int status = 0;
    std::optional<ObjectRef> object;
    std::string body;
  };

  Findings& findings_;
  std::map<std::string, Told> told_;
};

/// True if a repeated request may get a different reply.
bool asks_again(const Reply& reply);

}  // namespace finality::sim
