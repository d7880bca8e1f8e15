#include "decide/claim_delivery.h"

#include "decide/notify_merchant.h"

namespace finality {

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
  if (found != nullptr && found->delivery.due_at == command.due_at)
    claim_attempt(context, context.rows.deliveries.change(command.delivery_id).delivery);
  return Done{command.delivery_id};
}

}  // namespace finality
