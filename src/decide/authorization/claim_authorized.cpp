#include "decide/authorization/claim_authorized.h"

#include "decide/authorization/authorization_times.h"
#include "decide/authorization/create_capture.h"
#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

// Captures or releases the rest at the deadline. Nothing is captured of a hold that has no rest.
void act_on_deadline(OrderWriter& writer, Authorization& authorization) {
  const MinorUnits held = held_of(writer.aggregate(), authorization);
  if (writer.order().on_capture_deadline == CaptureDeadlineAction::capture && held > 0)
    add_capture(writer, authorization, {.origin = CaptureOrigin::deadline, .amount = held, .is_final = true});
  else
    request_end(writer, authorization, EndReason::expired);
}

void notify_expiring(OrderWriter& writer, Authorization& authorization) {
  authorization.is_expiring_notified = true;
  writer.noted(authorization, "expiring");
  notify_authorization(writer, "authorization.expiring", authorization);
}

}  // namespace

void act_on_authorized(OrderWriter& writer, Authorization& authorization) {
  Context& context = writer.context();
  const bool waits = open_capture_of(writer.aggregate(), authorization.id) != nullptr;
  const bool can_end = !waits && !authorization.is_total_waiting;
  if (can_end && authorization.end_reason) {  // the order was parked when the end was requested
    request_end(writer, authorization, *authorization.end_reason);
  } else if (can_end && has_passed_deadline(authorization, context.now)) {
    act_on_deadline(writer, authorization);
  } else if (is_expiring(context.policy, authorization, context.now)) {
    notify_expiring(writer, authorization);
  } else if (!authorization.account_id) {  // a hold of the wallet is ours, so there is nothing to query
    return call_channel(context, writer.aggregate(), authorization, AuthorizationCallKind::query_authorization);
  }
  if (authorization.state == AuthorizationState::authorized) schedule(context, writer.order(), authorization);
  settle_order(writer);
}

}  // namespace finality
