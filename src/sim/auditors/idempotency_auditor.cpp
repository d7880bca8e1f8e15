#include "sim/auditors/idempotency_auditor.h"

namespace finality::sim {

bool is_retryable(const Reply& reply) { return reply.refusal && info_of(reply.refusal->code).retry_after_seconds > 0; }

void IdempotencyAuditor::check(const std::string& key, const Reply& reply, bool awaited) {
  // The engine does not store all refusals in the idempotency record. A refusal without record may differ next time.
  if (reply.refusal && !info_of(reply.refusal->code).stored) return;
  const auto [at, is_new] = first_replies_.try_emplace(key, FirstReply{reply.status, reply.object, reply.body});
  if (is_new) return;
  const FirstReply& first = at->second;
  findings_.require(first.status == reply.status && first.object == reply.object, "9 one reply per key",
                    "key {}: first {} {}, then {} {}", key, first.status, first.object ? to_text(*first.object) : "",
                    reply.status, reply.object ? to_text(*reply.object) : "");
  const bool comparable = !awaited && !reply.show_object && !first.body.empty();
  if (comparable)
    findings_.require(first.body == reply.body, "9 one reply per key", "key {}: first {}, then {}", key, first.body,
                      reply.body);
}

}  // namespace finality::sim
