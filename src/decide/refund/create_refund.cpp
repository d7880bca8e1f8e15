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

// `same` has the number; null: it is another order's.
Decision answer_again(const CreateRefund& command, const Refund* same) {
  const bool equal = same != nullptr && same->payment_id == command.payment_id &&
                     (!command.amount || *command.amount == same->amount) && same->reason == command.reason;
  if (equal) return CommandResult{.object = same->id, .home = same->order_id};
  return refuse(RefusalCode::merchant_refund_no_conflict,
                "This merchant_refund_no belongs to a refund with other content. Use a new number.",
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
    return refuse(RefusalCode::not_found, "There is no such payment.", "payment");
  const Hash16 key = key_of_refund_no(command.merchant_id, command.merchant_refund_no);
  // Without its key, too: another server may have made it after the keys were read and before the order was locked.
  const auto same = std::ranges::find(aggregate->refunds, command.merchant_refund_no, &Refund::merchant_refund_no);
  if (same != aggregate->refunds.end()) return answer_again(command, &*same);
  if (context.rows.keys.find(key) != nullptr) return answer_again(command, nullptr);

  const Payment& payment = *known;
  const OrderId order_id = payment.order_id;
  if (payment.state != PaymentState::succeeded || aggregate->order.parked)
    return refuse(RefusalCode::payment_not_refundable, "Only a payment that succeeded can be refunded.", "payment",
                  std::string(name_of(payment.state)));
  if (const auto channel = context.policy.channels.find(payment.channel);
      channel != context.policy.channels.end() && !channel->second.refunds)
    return refuse(RefusalCode::payment_not_refundable, fmt::format("The channel {} takes no refunds.", payment.channel),
                  "payment", std::string(name_of(payment.state)));
  // It was made after whoever asks had looked for it: the accounts of its channel are not at hand.
  if (command.channel != payment.channel || command.currency != payment.currency ||
      command.account_id != payment.account_id)
    return refuse(RefusalCode::busy, "The payment was made only now. Send it again.");
  const auto count = std::ranges::count(aggregate->refunds, RefundOrigin::merchant, &Refund::origin);
  if (std::cmp_greater_equal(count, limits::kRefundsMax))
    return refuse(RefusalCode::payment_not_refundable, fmt::format("The order has {} refunds, and no more fit.", count),
                  "payment", std::string(name_of(payment.state)));
  const auto receipt = std::ranges::find_if(aggregate->receipts, [&](const Receipt& one) {
    return one.payment_id == payment.id && one.state == ReceiptState::accepted;
  });
  FINALITY_CHECK(receipt != aggregate->receipts.end(), "a payment that succeeded without its receipt");
  if (receipt->is_refund_unknown)
    return refuse(
        RefusalCode::payment_not_refundable,
        "The channel has refunded some of the payment without a request and does not say how much. Refunds are held "
        "until it does; the case external_refund tells more.",
        "payment", std::string(name_of(payment.state)));
  // The channel may have refunded more than was paid: limits are preconditions of commands only (ADR 0030).
  const MinorUnits left = std::max<MinorUnits>(payment.amount - refunded_of(*aggregate, *receipt, false), 0);
  const MinorUnits amount = command.amount.value_or(left);
  if (amount > left || left == 0)
    return refuse(RefusalCode::refund_exceeds_paid,
                  fmt::format("{} is left to be refunded.", format_money(left, payment.currency)), "amount");

  OrderWriter writer(context, order_id);
  Refund refund;
  refund.id = context.next_id<RefundId>();
  refund.order_id = order_id;
  refund.payment_id = command.payment_id;
  refund.merchant_id = command.merchant_id;
  refund.channel_account_id = payment.channel_account_id;
  refund.merchant_refund_no = command.merchant_refund_no;
  refund.amount = amount;
  refund.currency = payment.currency;
  refund.reason = command.reason;
  refund.created_at = context.now;
  context.rows.keys.insert(key, {key, command.merchant_id, refund.id.value});
  const auto journal = post(context, {EntryType::refund_accepted, command.merchant_id, payment.channel, refund.currency,
                                      amount, refund.id, order_id.value});
  writer.created(refund.id, name_of(refund.state)).journal_id = journal;
  Refund& added = add_row(writer.aggregate().refunds, std::move(refund));
  const RefundId id = added.id;
  if (const Payment& paid = *find_row(writer.aggregate().payments, command.payment_id); paid.account_id)
    refund_to_account(writer, added, paid);
  else
    claim_send(writer, added);
  return CommandResult{.object = id, .created = true, .home = order_id};
}

}  // namespace finality
