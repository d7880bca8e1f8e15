#include "decide/authorization/release_authorization.h"

#include <fmt/format.h>

#include <string>

#include "decide/authorization/held.h"
#include "decide/authorization/request_end.h"
#include "decide/order/settle_order.h"

namespace finality {

void add_reads(const ReleaseAuthorization& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const ReleaseAuthorization& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Authorization* known = found == nullptr ? nullptr : find_row(found->authorizations, command.authorization_id);
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The authorization does not exist.");

  const CommandResult done{.object = command.authorization_id, .home = command.order_id};
  const std::string state(name_of(known->state));
  const auto& cell = context.cell(authorization_machine, known->state, AuthorizationEvent::release);
  if (cell.kind == fsm::CellKind::keep) return done;  // ended, or being released
  if (cell.kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::illegal_transition,
                  fmt::format("The authorization is {}: nothing is held yet. Close the order instead.", state), {},
                  state);
  if (found->order.parked)
    return refuse(RefusalCode::illegal_transition,
                  "The order is parked, and nothing is released before operators resolve its case. Ask the operator to "
                  "resolve it, and release with a new Idempotency-Key.",
                  {}, state);
  if (open_capture_of(*found, command.authorization_id) != nullptr)
    return refuse(RefusalCode::capture_in_progress,
                  "The result of a capture of the authorization is not known yet. Repeat the request.", {}, state);
  if (known->end_reason) return done;  // the end was requested before

  OrderWriter writer(context, command.order_id);
  request_end(writer, *find_row(writer.aggregate().authorizations, command.authorization_id), EndReason::requested);
  settle_order(writer);
  return done;
}

}  // namespace finality
