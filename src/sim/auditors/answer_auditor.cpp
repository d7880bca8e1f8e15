#include "sim/auditors/answer_auditor.h"

namespace finality::sim {

bool asks_again(const Reply& reply) { return reply.refusal && info_of(reply.refusal->code).retry_after_seconds > 0; }

void AnswerAuditor::hear(const std::string& key, const Reply& reply, bool awaited) {
  // A refusal that is not stored under its key may change on the next request.
  if (reply.refusal && !info_of(reply.refusal->code).stored) return;
  const auto [at, is_new] = told_.try_emplace(key, Told{reply.status, reply.object, reply.body});
  if (is_new) return;
  const Told& told = at->second;
  findings_.require(told.status == reply.status && told.object == reply.object, "9 one reply per key",
                    "key {}: first {} {}, then {} {}", key, told.status, told.object ? to_text(*told.object) : "",
                    reply.status, reply.object ? to_text(*reply.object) : "");
  const bool comparable = !awaited && !reply.show_object && !told.body.empty();
  if (comparable)
    findings_.require(told.body == reply.body, "9 one reply per key", "key {}: first {}, then {}", key, told.body,
                      reply.body);
}

}  // namespace finality::sim
