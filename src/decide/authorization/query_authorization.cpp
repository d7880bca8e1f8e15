#include "decide/authorization/query_authorization.h"

#include "decide/channel/channel_operation.h"

namespace finality {

void add_reads(const QueryAuthorization& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const QueryAuthorization& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  const Authorization* known = found == nullptr ? nullptr : find_row(found->authorizations, command.authorization_id);
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The authorization does not exist.");

  const CommandResult done{.object = command.authorization_id, .home = command.order_id};
  // Not sent yet, or a hold of the wallet.
  if (known->state == AuthorizationState::created || known->account_id) return done;
  OrderAggregate& aggregate = context.rows.orders.change(command.order_id);
  for (Capture& capture : aggregate.captures)
    if (capture.authorization_id == command.authorization_id && capture.state == CaptureState::processing)
      call_channel(context, aggregate, capture, CaptureCallKind::query_capture);
  call_channel(context, aggregate, *find_row(aggregate.authorizations, command.authorization_id),
               AuthorizationCallKind::query_authorization);
  return done;
}

}  // namespace finality
