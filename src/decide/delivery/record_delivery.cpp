#include "decide/delivery/record_delivery.h"

#include "decide/delivery/delivery_writer.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/exception/open_case.h"

namespace finality {
namespace {

// A 410 response disables the endpoint (Standard Webhooks).
void disable_endpoint(Context& context, const Delivery& delivery) {
  if (!delivery.endpoint_id) return;
  auto& endpoints = context.rows.endpoints.change(delivery.merchant_id);
  WebhookEndpoint* endpoint = find_row(endpoints, *delivery.endpoint_id);
  if (endpoint == nullptr || endpoint->state != EndpointState::enabled) return;
  const std::string from(name_of(endpoint->state));
  endpoint->state = EndpointState::disabled;
  endpoint->version += 1;
  record(context, {endpoint->id, endpoint->merchant_id, endpoint->version}, endpoint->id, "disabled", from,
         name_of(endpoint->state), fsm::CellKind::move);
}

// Opens a case and notifies the merchant's other endpoints. The failure of a `case.opened` notification causes no
// further notification: two unreachable endpoints would otherwise cause an endless sequence.
void alert(DeliveryWriter& writer, Context& context) {
  const auto [row, is_new] = add_case(writer, CaseKind::delivery_exhausted, writer.delivery().id);
  const Delivery& delivery = writer.delivery();
  if (is_new && delivery.type != kCaseOpened) notify_other_endpoints(context, delivery, kCaseOpened, *row);
}

}  // namespace

void add_reads(const RecordDelivery& command, ReadSet& reads) {
  reads.deliveries.push_back(command.delivery_id);
  reads.merchants.push_back(command.merchant_id);
}

Decision decide(const RecordDelivery& command, Context& context) {
  if (context.rows.deliveries.find(command.delivery_id) == nullptr)
    return refuse(RefusalCode::not_found, "The delivery does not exist.");
  DeliveryWriter writer(context, command.delivery_id);
  Delivery& delivery = writer.delivery();
  delivery.attempts += 1;
  delivery.last_status = command.status;
  delivery.last_error = command.error.empty() ? std::nullopt : std::optional(command.error);
  context.detail = DeliveryResult{delivery.attempts, command.status, command.error};

  if (command.acknowledged) {
    writer.step(DeliveryEvent::acknowledged);
    if (!delivery.delivered_at) delivery.delivered_at = context.now;
    delivery.due_at.reset();
    settle_case(writer, CaseKind::delivery_exhausted, delivery.id);
    return CommandResult{.object = command.delivery_id};
  }

  const auto& pauses = context.policy.delivery_pauses;
  const auto attempt = static_cast<std::size_t>(delivery.attempts);
  const bool last = command.gone || attempt > pauses.size();
  const auto cell = writer.step(last ? DeliveryEvent::attempts_used_up : DeliveryEvent::unanswered);
  if (command.gone) disable_endpoint(context, delivery);
  if (has(cell.actions, fsm::Actions::open_case)) alert(writer, context);
  if (delivery.state == DeliveryState::pending) {
    const Duration pause = context.policy.scaled(pauses[attempt - 1]);
    delivery.due_at = context.now + std::max(pause, command.retry_after.value_or(Duration{0}));
  } else {
    delivery.due_at.reset();
  }
  return CommandResult{.object = command.delivery_id};
}

}  // namespace finality
