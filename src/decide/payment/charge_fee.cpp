#include "decide/payment/charge_fee.h"

#include <algorithm>

#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/external_refund.h"
#include "ledger/fee.h"
#include "model/usable_channels.h"

namespace finality {
namespace {

void post(OrderWriter& writer, EntryType type, const Collector& of, ObjectRef document, MinorUnits amount) {
  const auto journal = finality::post(writer.context(), posting_for(of, type, document, of.currency, amount));
  if (journal) writer.noted(name_of(type), *journal);
}

// Returns the share of the receipt's fee that is returned for `refunded`, the refunded amount of its trade.
MinorUnits share_of(const OrderAggregate& aggregate, const Receipt& receipt, MinorUnits refunded) {
  const Collector collector = collector_of(aggregate, receipt);
  if (!collector.fee_refundable) return 0;
  // The channel may have refunded more than the paid amount. At most the whole fee is returned.
  const MinorUnits part = std::min(allocated_to(aggregate, receipt, refunded), receipt.amount);
  return ledger::share_of(collector.fee_amount, part, receipt.amount);
}

// The fee shares of the current refunds of the trade minus the fees returned so far. Negative after a return: the
// difference is to be charged again.
MinorUnits fee_to_return(const OrderAggregate& aggregate, const Refund& refund) {
  const Receipt* receipt = receipt_of(aggregate, refund);
  if (receipt == nullptr || receipt->state != ReceiptState::accepted) return 0;
  const MinorUnits refunded = refunded_of(aggregate, *receipt, true);
  MinorUnits due = 0;
  for (const Receipt& one : aggregate.receipts)
    if (one.state == ReceiptState::accepted && is_same_trade(aggregate, one, *receipt))
      due += share_of(aggregate, one, refunded);
  for (const Refund& one : aggregate.refunds)
    if (is_refund_of_trade(aggregate, one, *receipt)) due -= one.fee_returned - one.fee_charged_again;
  return due;
}

}  // namespace

void charge_fee(OrderWriter& writer, ReceiptId id) {
  const Receipt* receipt = find_row(writer.aggregate().receipts, id);
  FINALITY_CHECK(receipt != nullptr, "an accepted receipt is of the order");
  const auto* fees = writer.context().rows.fees.find(receipt->merchant_id);
  FINALITY_CHECK(fees != nullptr, "a merchant's fees are always loaded as a list");
  auto fee = std::ranges::find(*fees, receipt->channel, &Fee::channel);
  if (fee == fees->end())  // no fee for this channel: use the fee for its kind
    fee = std::ranges::find(*fees, kind_of(writer.context().policy, receipt->channel), &Fee::channel);
  if (fee == fees->end()) return;
  const MinorUnits amount = ledger::fee_for(*fee, receipt->amount);
  set_fee(writer.aggregate(), *receipt, amount, fee->refundable);
  const Collector collector = collector_of(writer.aggregate(), *receipt);
  if (amount > 0) post(writer, EntryType::fee_charged, collector, collector.id, amount);
}

void return_fee(OrderWriter& writer, Refund& refund) {
  refund.fee_returned = fee_to_return(writer.aggregate(), refund);
  if (refund.fee_returned > 0)
    post(writer, EntryType::fee_returned, collector_of(writer.aggregate(), refund), refund.id, refund.fee_returned);
}

MinorUnits fee_to_charge_again(const OrderAggregate& aggregate, const Refund& refund) {
  return -fee_to_return(aggregate, refund);
}

}  // namespace finality
