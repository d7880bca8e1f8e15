#include "decide/delivery/resend_delivery.h"

#include "decide/delivery/claim_delivery.h"

namespace finality {

void add_reads(const ResendDelivery& command, ReadSet& reads) {
  reads.deliveries.push_back(command.delivery_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const ResendDelivery& command, Context& context) {
  const DeliveryAggregate* found = context.rows.deliveries.find(command.delivery_id);
  if (found == nullptr || found->delivery.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The delivery does not exist.");
  const DeliveryState state = found->delivery.state;
  if (context.cell(delivery_machine, state, DeliveryEvent::resend).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::illegal_transition, "The delivery was given up and cannot be resent.", {},
                  std::string(name_of(state)));
  if (!is_endpoint_enabled(context, found->delivery))
    return refuse(RefusalCode::illegal_transition,
                  "The webhook endpoint of the delivery was deleted, or disabled by a 410.", {},
                  std::string(name_of(state)));

  DeliveryWriter writer(context, command.delivery_id);
  writer.step(DeliveryEvent::resend);
  Delivery& delivery = writer.delivery();
  if (delivery.state == DeliveryState::pending && !delivery.due_at) delivery.due_at = context.now;
  claim_attempt(writer);
  return CommandResult{.object = command.delivery_id};
}

}  // namespace finality
