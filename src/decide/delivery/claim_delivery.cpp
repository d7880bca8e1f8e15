#include "decide/delivery/claim_delivery.h"

#include "decide/delivery/notify_merchant.h"

namespace finality {
void add_reads(const ClaimDelivery& command, ReadSet& reads) {
  reads.deliveries.push_back(command.delivery_id);
  reads.merchants.push_back(command.merchant_id);
}

bool is_endpoint_enabled(const Context& context, const Delivery& delivery) {
  const WebhookEndpoint* endpoint = endpoint_of(context, delivery);
  return !delivery.endpoint_id || (endpoint != nullptr && endpoint->state == EndpointState::enabled);
}

void claim_attempt(DeliveryWriter& writer) {
  Context& context = writer.context();
  Delivery& delivery = writer.delivery();
  if (!is_endpoint_enabled(context, delivery)) {
    writer.step(DeliveryEvent::unwanted);
    delivery.due_at.reset();
    return;
  }
  const Time deadline = context.now + context.policy.webhook_timeout;
  if (delivery.due_at) delivery.due_at = deadline + limits::kEffectMargin;
  context.effects.emplace_back(DeliveryAttempt{delivery, secrets_of(context, delivery), deadline});
}

Decision decide(const ClaimDelivery& command, Context& context) {
  const DeliveryAggregate* found = context.rows.deliveries.find(command.delivery_id);
  if (found == nullptr || found->delivery.due_at != command.due_at) return CommandResult{.object = command.delivery_id};
  DeliveryWriter writer(context, command.delivery_id);
  claim_attempt(writer);
  return CommandResult{.object = command.delivery_id};
}

}  // namespace finality
