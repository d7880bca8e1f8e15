#include "decide/authorization/request_end.h"

#include "decide/authorization/end_release.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"

namespace finality {

void request_end(OrderWriter& writer, Authorization& authorization, EndReason reason) {
  const OrderAggregate& aggregate = writer.aggregate();
  const bool is_new = !authorization.end_reason;
  const bool is_over = held_of(aggregate, authorization) == 0;
  if (is_new) authorization.end_reason = reason;
  const bool waits = open_capture_of(aggregate, authorization.id) != nullptr ||
                     (is_over && authorization.is_total_waiting);  // the end would stop its query
  if (aggregate.order.parked || waits) {
    if (is_new) writer.noted(authorization, "end_requested");
    return;
  }
  if (is_over) return end_release(writer, authorization, "ended");
  claim_release(writer, authorization, true);
}

void close_locally(OrderWriter& writer, Authorization& authorization) {
  Context& context = writer.context();
  const bool is_held = authorization.state == AuthorizationState::authorized;
  if (is_held) authorization.end_reason = EndReason::order_closed;
  writer.step(authorization, AuthorizationEvent::close_locally);
  authorization.close_pending = true;
  authorization.final_evidence_at = context.now;
  authorization.due_at = context.now;
  if (is_held) claim_release(writer, authorization, true);
}

void claim_release(OrderWriter& writer, Authorization& authorization, bool is_new_number) {
  claim_release(writer, authorization, is_new_number, held_of(writer.aggregate(), authorization));
}

void claim_release(OrderWriter& writer, Authorization& authorization, bool is_new_number, MinorUnits held) {
  Context& context = writer.context();
  const OrderAggregate& aggregate = writer.aggregate();
  if (aggregate.order.parked || open_capture_of(aggregate, authorization.id) != nullptr) return;
  authorization.due_at = context.now;
  if (held == 0) return call_channel(context, aggregate, authorization, AuthorizationCallKind::close_authorization);
  // A request for another amount than what is held now cannot succeed.
  if (is_new_number || authorization.release_amount != held) {
    authorization.release_attempts += 1;
    authorization.release_amount = held;
    authorization.sends = 0;
    if (authorization.release_attempts == 1 || !authorization.outstanding_since)
      authorization.outstanding_since = context.now;
  }
  writer.step(authorization, AuthorizationEvent::release, true);
  call_channel(context, aggregate, authorization, AuthorizationCallKind::release_authorization);
}

bool is_being_released(const OrderAggregate& aggregate, const Authorization& authorization) {
  if (authorization.state == AuthorizationState::releasing) return true;
  if (!authorization_machine.is_final(authorization.state) || !authorization.close_pending) return false;
  const bool is_requested = authorization.release_attempts > 0 && authorization.outstanding_since;
  return is_requested || held_of(aggregate, authorization) > 0;
}

}  // namespace finality
