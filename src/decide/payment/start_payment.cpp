#include "decide/payment/start_payment.h"

#include "decide/add_row.h"
#include "decide/channel/channel_operation.h"
#include "decide/payment/pay_from_account.h"
#include "model/out_trade_no.h"
#include "model/usable_channels.h"

namespace finality {
namespace {

// The code of a refused payment, indexed by the order's state.
constexpr RefusalCode kRefusedIn[] = {
    RefusalCode::order_not_payable,    // pending: attempts used up, expired or closing
    RefusalCode::payment_in_progress,  // processing
    RefusalCode::order_not_payable,    // succeeded
    RefusalCode::order_not_payable,    // failed
    RefusalCode::order_not_payable,    // closed
};
static_assert(std::size(kRefusedIn) == kCount<OrderState>);

const Payment* find_by_number(const OrderAggregate& aggregate, const std::optional<std::string>& number) {
  if (!number) return nullptr;
  const auto at = std::ranges::find(aggregate.payments, number, &Payment::merchant_payment_no);
  return at == aggregate.payments.end() ? nullptr : &*at;
}

// Returns the succeeded payment of the order from that account, or null: pay(order, account, amount) is idempotent.
const Payment* find_paid_by(const OrderAggregate& aggregate, const std::optional<AccountId>& account) {
  if (!account) return nullptr;
  const auto at = std::ranges::find_if(aggregate.payments, [&](const Payment& one) {
    return one.account_id == account && one.state == PaymentState::succeeded;
  });
  return at == aggregate.payments.end() ? nullptr : &*at;
}

// Whether a repeated request names the payment's channel or the channel's kind. The kind is compared too, because it
// may resolve to another channel now.
bool is_same_channel(const Policy& policy, const Payment& payment, const PaymentFields& fields) {
  const std::string& name = fields.requested_channel.empty() ? fields.channel : fields.requested_channel;
  const bool is_chosen = fields.channel_routed && fields.requested_channel.empty();  // the client named no channel
  return is_chosen || payment.channel == name || kind_of(policy, payment.channel) == name;
}

// Returns why the order accepts no payment although its state allows one; empty when it accepts one.
std::string_view closed_to_payments(const OrderAggregate& aggregate, Time now) {
  const Order& order = aggregate.order;
  const auto count = static_cast<std::int64_t>(aggregate.payments.size());
  if (order.parked) return "it is parked until operators resolve its case";
  if (order.close_requested) return "it is being closed";
  if (order.expires_at <= now) return "it has expired";
  if (count >= order.attempts.value_or(limits::kAttemptsMax)) return "all its attempts are used up";
  return {};
}

}  // namespace

void add_reads(const StartPayment& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  add_wallet_reads(command.merchant_id, command.fields, command.currency, reads);
}

Decision decide(const StartPayment& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The order does not exist.");

  const PaymentFields& fields = command.fields;
  if (const Payment* same = find_by_number(*found, fields.merchant_payment_no)) {
    if (!is_same_channel(context.policy, *same, fields) || (!fields.method_routed && same->method != fields.method) ||
        same->account_id != fields.account_id)
      return refuse(RefusalCode::merchant_payment_no_conflict,
                    "This merchant_payment_no belongs to a payment with another channel, method or account. Use a new "
                    "merchant_payment_no.",
                    "merchant_payment_no");
    return CommandResult{.object = same->id, .home = command.order_id};
  }

  if (const Payment* paid = find_paid_by(*found, fields.account_id))
    return CommandResult{.object = paid->id, .home = command.order_id};

  const OrderState state = found->order.state;
  const std::string_view reason = closed_to_payments(*found, context.now);
  const auto& cell = context.cell(order_machine, state, OrderEvent::payment_started);
  if (cell.kind == fsm::CellKind::refuse)
    return refuse(kRefusedIn[static_cast<std::size_t>(state)],
                  fmt::format("The order is {} and accepts no payment in this state.", name_of(state)), {},
                  std::string(name_of(state)));
  if (!reason.empty())
    return refuse(RefusalCode::order_not_payable, fmt::format("The order accepts no payment: {}.", reason), {},
                  std::string(name_of(state)));

  const Order& order = found->order;
  // The caller looked up the order before it was created, so it selected no route and loaded no wallet accounts. A
  // payment that names an external channel needs neither.
  if (command.currency != order.currency && (fields.account_id || fields.channel.empty()))
    return refuse(RefusalCode::busy, "The order has just been created. Repeat the request.");
  if (auto open = check_channel(context.policy, command.merchant_id, fields, "channel"); !open)
    return std::unexpected(std::move(open.error()));
  if (auto taken = check_money(context.policy, fields, order.currency, order.amount, "channel"); !taken)
    return std::unexpected(std::move(taken.error()));
  if (auto fine = check_wallet(context, command.merchant_id, fields, order.currency); !fine)
    return std::unexpected(std::move(fine.error()));

  OrderWriter writer(context, command.order_id);
  return CommandResult{.object = add_payment(writer, fields), .created = true, .home = command.order_id};
}

std::expected<void, Refusal> check_channel(const Policy& policy, MerchantId merchant, const PaymentFields& fields,
                                           std::string_view param) {
  const std::string& name = fields.channel.empty() ? fields.requested_channel : fields.channel;
  if (name.empty())
    return refuse(RefusalCode::invalid_request,
                  "No route accepts the method, currency and amount of the payment. Set channel.", "channel");
  const bool is_known = policy.accounts.contains(fields.channel);
  if (!fields.channel.empty() && (!is_known || is_usable(policy, merchant, fields.channel))) return {};
  const auto [text, is_sentence] = complaint_about_channel(policy, merchant, name);
  return refuse(RefusalCode::invalid_request, is_sentence ? text : fmt::format("{} {}", param, text),
                std::string(param));
}

std::expected<void, Refusal> check_money(const Policy& policy, const PaymentFields& fields, Currency currency,
                                         MinorUnits amount, std::string_view param) {
  const auto channel = policy.channels.find(fields.channel);
  if (channel == policy.channels.end()) return {};
  const Capabilities& capabilities = channel->second;
  const std::string name(param);
  if (!capabilities.takes(currency))
    return refuse(RefusalCode::invalid_request,
                  fmt::format("{} accepts only {}, and the order's currency is {}. Use another channel.",
                              fields.channel, capabilities.currency->text(), currency.text()),
                  name);
  if (amount > capabilities.amount_max)
    return refuse(
        RefusalCode::invalid_request,
        fmt::format("{} accepts at most {} per payment, and the order's amount is {}. Use another channel.",
                    fields.channel, format_money(capabilities.amount_max, currency), format_money(amount, currency)),
        name);
  return {};
}

PaymentId add_payment(OrderWriter& writer, const PaymentFields& fields) {
  Context& context = writer.context();
  const Order& order = writer.order();
  Payment payment;
  payment.id = context.next_id<PaymentId>();
  payment.order_id = order.id;
  payment.merchant_id = order.merchant_id;
  payment.merchant_payment_no = fields.merchant_payment_no;
  payment.channel = fields.channel;
  payment.channel_account_id = context.policy.account_of(fields.channel);
  payment.funds = context.policy.funds_of(fields.channel);
  payment.method = fields.method;
  payment.amount = order.amount;
  payment.currency = order.currency;
  payment.out_trade_no = out_number(order.merchant_id, payment.id.value);
  payment.scenario = fields.scenario;
  payment.account_id = fields.account_id;
  payment.payer = fields.payer;
  payment.created_at = context.now;

  writer.step(OrderEvent::payment_started);
  Payment& added = add_row(writer.aggregate().payments, std::move(payment));
  writer.created(added.id, name_of(added.state));
  const PaymentId id = added.id;
  if (added.account_id)
    pay_from_account(writer, added);
  else
    claim_send(writer, added);
  return id;
}

}  // namespace finality
