#include "decide/exception/authorization_actions.h"

#include "decide/authorization/end_capture.h"
#include "decide/authorization/end_release.h"
#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/channel/channel_operation.h"
#include "decide/order/settle_order.h"

namespace finality {
namespace {

Authorization* authorization_of(const CaseContext& on) {
  return find_row(on.writer.aggregate().authorizations, AuthorizationId{on.row.object_id});
}

}  // namespace

ActionResult confirm_unheld(const CaseContext& on) {
  Context& context = on.writer.context();
  Authorization* authorization = authorization_of(on);
  if (authorization == nullptr) return {};
  const auto& cell = context.cell(authorization_machine, authorization->state, AuthorizationEvent::closed);
  if (cell.kind != fsm::CellKind::move) return refuse_changed("authorization", name_of(authorization->state));
  on.writer.step(*authorization, AuthorizationEvent::closed);
  authorization->final_evidence_at = context.now;
  authorization->outstanding_since.reset();
  settle_overdue(on.writer, *authorization);
  schedule(context, on.writer.order(), *authorization);
  settle_order(on.writer);
  return {};
}

ActionResult confirm_uncaptured(const CaseContext& on) {
  Capture* capture = find_row(on.writer.aggregate().captures, CaptureId{on.row.object_id});
  if (capture == nullptr) return {};
  if (capture_machine.is_final(capture->state)) return refuse_changed("capture", name_of(capture->state));
  on.writer.step(*capture, CaptureEvent::refused);
  capture->failure_code = "confirmed_uncaptured";
  capture->failure_message = "Operators have verified at the channel that nothing was captured.";
  settle_overdue(on.writer, *capture);
  end_capture(on.writer, *capture);
  settle_order(on.writer);
  return {};
}

ActionResult retry_release(const CaseContext& on) {
  Authorization* authorization = authorization_of(on);
  if (authorization == nullptr) return {};
  if (!is_being_released(on.writer.aggregate(), *authorization))
    return refuse_changed("authorization", name_of(authorization->state));
  // An amount in another currency is not booked: the query reports what to release.
  if (held_of(on.writer.aggregate(), *authorization) == 0)
    call_channel(on.writer.context(), on.writer.aggregate(), *authorization,
                 AuthorizationCallKind::query_authorization);
  else
    claim_release(on.writer, *authorization, true);
  return {};
}

ActionResult confirm_released(const CaseContext& on) {
  Authorization* authorization = authorization_of(on);
  if (authorization == nullptr) return {};
  if (!is_being_released(on.writer.aggregate(), *authorization))
    return refuse_changed("authorization", name_of(authorization->state));
  end_release(on.writer, *authorization, "confirmed_released");
  return {};
}

}  // namespace finality
