#include "decide/order/create_order.h"

#include "decide/authorization/start_authorization.h"
#include "decide/order/order_refusal.h"
#include "decide/payment/pay_from_account.h"
#include "model/natural_key.h"
#include "model/usable_channels.h"

namespace finality {
namespace {

// Refuses if the channel of the first authorization does not hold an amount for the requested time.
std::expected<void, Refusal> check_capture_within(const Policy& policy, const CreateOrder& command) {
  const AuthorizationTerms* terms = policy.terms_of(command.payment->channel);
  if (!command.capture_within || terms == nullptr) return {};
  const auto max = std::chrono::duration_cast<std::chrono::seconds>(terms->capture_within_max).count();
  if (*command.capture_within <= max) return {};
  return refuse(RefusalCode::invalid_request,
                fmt::format("capture_within must be at most {}: {} holds an amount for {} seconds.", max,
                            command.payment->channel, max),
                "capture_within");
}

// Refuses the first method that no channel accepts for the order. The channel of a method can be a kind of channels;
// one of the merchant's channels of that kind must then accept the order.
std::expected<void, Refusal> check_methods(const Context& context, const PayableOrder& payable,
                                           const std::vector<CheckoutMethod>& methods) {
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const std::string prefix = fmt::format("methods[{}].", i);
    std::expected<void, Refusal> checked = check_channel(context.policy, payable.merchant_id,
                                                         {.requested_channel = methods[i].channel}, prefix + "channel");
    for (const std::string_view channel : channels_for(context.policy, payable.merchant_id, methods[i].channel)) {
      checked = check_fields(context, payable, {.channel = std::string(channel), .method = methods[i].method}, prefix);
      if (checked) break;
    }
    if (!checked) return checked;
  }
  return {};
}

}  // namespace

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

  const PayableOrder payable{command.merchant_id, command.capture_method, command.amount, command.currency};
  if (auto offered = check_methods(context, payable, command.methods); !offered)
    return std::unexpected(std::move(offered.error()));
  if (command.payment) {
    if (auto fine = check_fields(context, payable, *command.payment, "payment."); !fine)
      return std::unexpected(std::move(fine.error()));
    if (auto held = check_capture_within(context.policy, command); !held)
      return std::unexpected(std::move(held.error()));
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
  order.capture_within = command.capture_within;
  order.on_capture_deadline = command.on_capture_deadline;
  order.attempts = command.attempts;
  order.close_policy = command.close_policy;
  order.created_at = context.now;
  order.expires_at = context.now + command.expires_in;
  order.due_at = order.expires_at;
  order.notify_url = command.notify_url;
  order.return_url = command.return_url;
  order.metadata = command.metadata;
  order.methods = text_of(command.methods);

  context.rows.keys.insert(key, {key, order.merchant_id, order.id.value});
  OrderAggregate made;
  made.order = std::move(order);
  OrderWriter writer(context, std::move(made));
  if (command.payment && command.capture_method == CaptureMethod::manual)
    add_authorization(writer, *command.payment);
  else if (command.payment)
    add_payment(writer, *command.payment);
  return CommandResult{.object = writer.order().id, .created = true};
}

}  // namespace finality
