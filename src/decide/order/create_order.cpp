#include "decide/order/create_order.h"

#include "decide/payment/pay_from_account.h"
#include "model/natural_key.h"

namespace finality {

void add_reads(const CreateOrder& command, ReadSet& reads) {
  reads.keys.push_back({key_of_order_no(command.merchant_id, command.merchant_order_no), ObjectType::order});
  reads.merchants.push_back(command.merchant_id);
  if (command.payment) add_wallet_reads(command.merchant_id, *command.payment, command.currency, reads);
}

Decision decide(const CreateOrder& command, Context& context) {
  if (command.merchant_id == kPlatform)
    return refuse(RefusalCode::forbidden,
                  "The platform has no orders. Set the header Finality-Merchant to the id of another merchant.");
  const Hash16 key = key_of_order_no(command.merchant_id, command.merchant_order_no);
  if (const Key* taken = context.rows.keys.find(key)) {
    const OrderAggregate* same = context.rows.orders.find(OrderId{taken->id});
    if (same == nullptr)  // archived orders keep their key: a merchant_order_no is never reused
      return refuse(RefusalCode::archived,
                    fmt::format("This merchant_order_no belongs to an archived order; GET /v1/orders/{} returns the "
                                "archive's name. Use a new merchant_order_no.",
                                to_text(OrderId{taken->id})),
                    "merchant_order_no");
    if (same->order.fingerprint != command.fingerprint)
      return refuse(RefusalCode::merchant_order_no_conflict,
                    "This merchant_order_no belongs to an order with other fields. Use a new merchant_order_no, or "
                    "repeat the first request.",
                    "merchant_order_no");
    return CommandResult{.object = same->order.id};
  }

  if (command.payment) {
    auto open = check_channel(context.policy, command.merchant_id, *command.payment, "payment.channel");
    if (!open) return std::unexpected(std::move(open.error()));
    auto taken = check_money(context.policy, *command.payment, command.currency, command.amount, "payment.channel");
    if (!taken) return std::unexpected(std::move(taken.error()));
    auto fine = check_wallet(context, command.merchant_id, *command.payment, command.currency);
    if (!fine) return std::unexpected(std::move(fine.error()));
  }

  Order order;
  order.id = context.next_id<OrderId>();
  order.merchant_id = command.merchant_id;
  order.merchant_order_no = command.merchant_order_no;
  order.fingerprint = command.fingerprint;
  order.amount = command.amount;
  order.currency = command.currency;
  order.subject = command.subject;
  order.capture_method = command.capture_method;
  order.attempts = command.attempts;
  order.close_policy = command.close_policy;
  order.created_at = context.now;
  order.expires_at = context.now + command.expires_in;
  order.due_at = order.expires_at;
  order.notify_url = command.notify_url;
  order.return_url = command.return_url;
  order.metadata = command.metadata;

  context.rows.keys.insert(key, {key, order.merchant_id, order.id.value});
  OrderAggregate made;
  made.order = std::move(order);
  OrderWriter writer(context, std::move(made));
  if (command.payment) add_payment(writer, *command.payment);
  return CommandResult{.object = writer.order().id, .created = true};
}

}  // namespace finality
