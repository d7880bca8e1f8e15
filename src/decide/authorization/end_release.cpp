#include "decide/authorization/end_release.h"

#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/order/settle_order.h"

namespace finality {

void end_release(OrderWriter& writer, Authorization& authorization, std::string_view note) {
  Context& context = writer.context();
  authorization.released_amount += held_of(writer.aggregate(), authorization);
  authorization.close_pending = false;
  authorization.is_total_waiting = false;
  authorization.outstanding_since.reset();
  authorization.final_evidence_at = context.now;
  const bool has_captured = authorization.captured_amount > 0;
  if (authorization_machine.is_final(authorization.state))
    writer.noted(authorization, note);
  else
    writer.step(authorization, has_captured ? AuthorizationEvent::captured : AuthorizationEvent::released);
  settle_overdue(writer, authorization);
  schedule(context, writer.order(), authorization);
  settle_order(writer);
  if (!has_captured) notify_authorization(writer, "authorization.released", authorization);
}

}  // namespace finality
