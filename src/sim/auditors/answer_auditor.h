// Invariant 9: what clients were told. One key, one answer; the same key with another request, 422.
#pragma once

#include <map>
#include <string>

#include "engine/request.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class AnswerAuditor {
 public:
  explicit AnswerAuditor(Findings& findings) : findings_(findings) {}

  /// A definite answer to a request with that key; `awaited`: its first answer may have been held back.
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

/// Whether asking again may bring another answer.
bool asks_again(const Reply& reply);

}  // namespace finality::sim
