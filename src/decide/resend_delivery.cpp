#include "decide/resend_delivery.h"

#include "decide/claim_delivery.h"
#include "decide/delivery_writer.h"
#include "decide/notify_merchant.h"

namespace finality {

void add_needs(const ResendDelivery& command, Needs& needs) {
  needs.deliveries.push_back(command.delivery_id);
  needs.merchants.push_back(command.merchant_id);
}

Decision decide(const ResendDelivery& command, Context& context) {
  const DeliveryAggregate* found = context.rows.deliveries.find(command.delivery_id);
  if (found == nullptr || found->delivery.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "There is no such delivery.");
  const DeliveryState state = found->delivery.state;
  if (delivery_machine.at(state, DeliveryEvent::resend).kind == fsm::CellKind::refuse)
    return refuse(RefusalCode::illegal_transition, "The delivery was given up.", {}, std::string(name_of(state)));
  const WebhookEndpoint* endpoint = endpoint_of(context, found->delivery);
  if (endpoint != nullptr && endpoint->state == EndpointState::deleted)
    return refuse(RefusalCode::illegal_transition, "Its webhook endpoint was deleted.", {},
                  std::string(name_of(state)));

  DeliveryWriter writer(context, command.delivery_id);
  writer.step(DeliveryEvent::resend);
  Delivery& delivery = writer.delivery();
  if (delivery.state == DeliveryState::pending && !delivery.due_at) delivery.due_at = context.now;
  claim_attempt(context, delivery);
  return Done{command.delivery_id};
}

}  // namespace finality
