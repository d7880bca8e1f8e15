#include "decide/payment/start_payment.h"

#include "decide/add_row.h"
#include "decide/channel/channel_operation.h"
#include "decide/order/order_refusal.h"
#include "decide/payment/pay_from_account.h"
#include "model/out_trade_no.h"
#include "model/usable_channels.h"

namespace finality {
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
  if (auto same = answer_repeated(context.policy, command.order_id, found->payments, fields)) return std::move(*same);
  if (auto may = check_start(context, *found, CaptureMethod::automatic, fields, command.currency); !may)
    return std::unexpected(std::move(may.error()));
  if (auto fresh = check_attempts_seen(*found, command.attempts_seen); !fresh) return std::unexpected(fresh.error());
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
