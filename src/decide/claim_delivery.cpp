#include "decide/claim_delivery.h"

#include "decide/delivery_writer.h"
#include "decide/notify_merchant.h"

namespace finality {
namespace {

// Nothing more goes to an endpoint that was deleted, or that said it wants nothing more (410).
bool is_wanted(const Context& context, const Delivery& delivery) {
  const WebhookEndpoint* endpoint = endpoint_of(context, delivery);
  return !delivery.endpoint_id || (endpoint != nullptr && endpoint->state == EndpointState::enabled);
}

}  // namespace

void add_needs(const ClaimDelivery& command, Needs& needs) {
  needs.deliveries.push_back(command.delivery_id);
  needs.merchants.push_back(command.merchant_id);
}

void claim_attempt(Context& context, Delivery& delivery) {
  const Time deadline = context.now + context.policy.webhook_timeout;
  if (delivery.due_at) delivery.due_at = deadline + limits::kEffectMargin;
  context.effects.emplace_back(Deliver{delivery, secrets_of(context, delivery), deadline});
}

Decision decide(const ClaimDelivery& command, Context& context) {
  const DeliveryAggregate* found = context.rows.deliveries.find(command.delivery_id);
  if (found == nullptr || found->delivery.due_at != command.due_at) return Done{command.delivery_id};
  if (!is_wanted(context, found->delivery)) {
    DeliveryWriter writer(context, command.delivery_id);
    writer.step(DeliveryEvent::unwanted);
    writer.delivery().due_at.reset();
    return Done{command.delivery_id};
  }
  claim_attempt(context, context.rows.deliveries.change(command.delivery_id).delivery);
  return Done{command.delivery_id};
}

}  // namespace finality
