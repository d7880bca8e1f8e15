#include "decide/refund/create_refund.h"

#include "decide/add_row.h"
#include "decide/channel/channel_operation.h"
#include "decide/payment/find_payment.h"
#include "decide/payment/pay_from_account.h"
#include "decide/post.h"
#include "decide/refund/external_refund.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Returns the existing refund for a repeated request, or the refusal `merchant_refund_no_conflict`. `same`: the order's
// refund with that merchant_refund_no; null if a refund of another order has that merchant_refund_no.
Decision answer_again(const CreateRefund& command, const Refund* same) {
  const bool equal = same != nullptr && is_collected_by(*same, command.payment_id) &&
                     (!command.amount || *command.amount == same->amount) && same->reason == command.reason;
  if (equal) return CommandResult{.object = same->id, .home = same->order_id};
  return refuse(RefusalCode::merchant_refund_no_conflict,
                "This merchant_refund_no belongs to a refund with other fields. Use a new merchant_refund_no.",
                "merchant_refund_no");
}

}  // namespace

void add_reads(const CreateRefund& command, ReadSet& reads) {
  reads.payments.push_back(command.payment_id);
  reads.merchants.push_back(command.merchant_id);
  reads.keys.push_back({key_of_refund_no(command.merchant_id, command.merchant_refund_no)});
  ledger::add_reads(EntryType::refund_accepted, command.merchant_id, command.channel, command.currency, reads);
  if (!command.account_id) return;
  reads.accounts.push_back(*command.account_id);
  for (const EntryType type : {EntryType::wallet_refunded, EntryType::refund_succeeded, EntryType::fee_returned})
    ledger::add_reads(type, command.merchant_id, command.channel, command.currency, reads);
}

Decision decide(const CreateRefund& command, Context& context) {
  const auto [aggregate, known] = find_payment(context.rows, command.payment_id);
  if (known == nullptr || known->merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The payment does not exist.", "payment");
  const Hash16 key = key_of_refund_no(command.merchant_id, command.merchant_refund_no);
  // The order can contain the refund although its key was not loaded: another server can create the refund after the
  // keys are read and before the order is locked.
  const auto same = std::ranges::find(aggregate->refunds, command.merchant_refund_no, &Refund::merchant_refund_no);
  if (same != aggregate->refunds.end()) return answer_again(command, &*same);
  if (context.rows.keys.find(key) != nullptr) return answer_again(command, nullptr);

  const Payment& payment = *known;
  const OrderId order_id = payment.order_id;
  if (payment.state != PaymentState::succeeded || aggregate->order.parked)
    return refuse(RefusalCode::payment_not_refundable,
                  "Only a succeeded payment of an order that is not parked can be refunded.", "payment",
                  std::string(name_of(payment.state)));
  if (const auto channel = context.policy.channels.find(payment.channel);
      channel != context.policy.channels.end() && !channel->second.refunds)
    return refuse(RefusalCode::payment_not_refundable,
                  fmt::format("The channel {} does not support refunds.", payment.channel), "payment",
                  std::string(name_of(payment.state)));
  // The caller looked up the payment before it was created, so the command has no channel and loaded no accounts of it.
  if (command.channel != payment.channel || command.currency != payment.currency ||
      command.account_id != payment.account_id)
    return refuse(RefusalCode::busy, "The payment has just been created. Repeat the request.");
  const auto count = std::ranges::count(aggregate->refunds, RefundOrigin::merchant, &Refund::origin);
  if (std::cmp_greater_equal(count, limits::kRefundsMax))
    return refuse(RefusalCode::payment_not_refundable,
                  fmt::format("The order has {} refunds, which is the maximum.", count), "payment",
                  std::string(name_of(payment.state)));
  const Receipt* receipt = accepted_receipt_of(*aggregate, payment.id);
  FINALITY_CHECK(receipt != nullptr, "a succeeded payment has an accepted receipt");
  if (receipt->is_refund_unknown)
    return refuse(
        RefusalCode::payment_not_refundable,
        "The channel has refunded a part of the payment without a request and has not reported the amount. Refunds are "
        "possible once the amount is known; see the case external_refund.",
        "payment", std::string(name_of(payment.state)));
  // The channel may have refunded more than the paid amount: limits do not apply to external refunds (ADR 0030).
  const MinorUnits left = std::max<MinorUnits>(receipt->amount - refunded_of(*aggregate, *receipt, false), 0);
  const MinorUnits amount = command.amount.value_or(left);
  if (amount > left || left == 0)
    return refuse(RefusalCode::refund_exceeds_paid,
                  fmt::format("The refundable amount is {}.", format_money(left, receipt->currency)), "amount");

  OrderWriter writer(context, order_id);
  Refund refund;
  refund.id = context.next_id<RefundId>();
  refund.order_id = order_id;
  set_collector(refund, payment.id);
  refund.merchant_id = command.merchant_id;
  refund.channel_account_id = receipt->channel_account_id;
  refund.merchant_refund_no = command.merchant_refund_no;
  refund.amount = amount;
  refund.currency = receipt->currency;
  refund.reason = command.reason;
  refund.created_at = context.now;
  context.rows.keys.insert(key, {key, command.merchant_id, refund.id.value});
  const auto journal =
      post(context, posting_for(collector_of(payment), EntryType::refund_accepted, refund.id, refund.currency, amount));
  writer.created(refund.id, name_of(refund.state)).journal_id = journal;
  Refund& added = add_row(writer.aggregate().refunds, std::move(refund));
  const RefundId id = added.id;
  if (command.account_id)  // checked to be the payment's
    refund_to_account(writer, added);
  else
    claim_send(writer, added);
  return CommandResult{.object = id, .created = true, .home = order_id};
}

}  // namespace finality
