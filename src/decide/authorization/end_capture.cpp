#include "decide/authorization/end_capture.h"

#include <optional>
#include <string>

#include "decide/authorization/end_release.h"
#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

// Whether the channel has released the rest of the hold with the capture.
bool has_released_rest(const Context& context, const Authorization& authorization, const Capture& capture) {
  const AuthorizationTerms* terms = context.policy.terms_of(authorization.channel);
  return capture.is_final && (terms == nullptr || terms->has_final_flag);
}

// Sets the reason for which the authorization ends with the capture, if it ends.
void note_reason(const OrderAggregate& aggregate, const Capture& capture, Authorization& authorization) {
  const bool has_succeeded = capture.state == CaptureState::succeeded;
  if (has_succeeded && (capture.is_final || held_of(aggregate, authorization) == 0))
    authorization.end_reason = EndReason::captured;
  if (!has_succeeded && capture.origin == CaptureOrigin::deadline && !authorization.end_reason)
    authorization.end_reason = EndReason::expired;
}

}  // namespace

void end_capture(OrderWriter& writer, Capture& capture) {
  Context& context = writer.context();
  OrderAggregate& aggregate = writer.aggregate();
  Authorization* authorization = find_row(aggregate.authorizations, capture.authorization_id);
  FINALITY_CHECK(authorization != nullptr, "a capture has an authorization");
  capture.due_at.reset();
  settle_overdue(writer, capture);
  notify_merchant(writer, "capture." + std::string(name_of(capture.state)), capture);
  if (capture.origin == CaptureOrigin::channel) return;

  authorization->capture_ended_at = context.now;
  if (authorization->state != AuthorizationState::authorized) return;
  const std::optional<EndReason> reason_before = authorization->end_reason;
  note_reason(aggregate, capture, *authorization);
  const bool has_succeeded = capture.state == CaptureState::succeeded;
  schedule(context, aggregate.order, *authorization);
  // A captured total that waited for the end of this capture is queried first: it can contain another capture.
  if (authorization->end_reason && !authorization->is_total_waiting) {
    if (has_succeeded && has_released_rest(context, *authorization, capture))
      end_release(writer, *authorization, "ended");
    else
      request_end(writer, *authorization, *authorization->end_reason);
  } else if (authorization->due_at && (!has_succeeded || authorization->is_total_waiting)) {
    authorization->due_at = context.now;
  }
  if (authorization->state == AuthorizationState::authorized && authorization->end_reason != reason_before)
    writer.noted(*authorization, "end_requested");
}

}  // namespace finality
