#include "decide/payment/trade_report.h"

#include <algorithm>

#include "decide/payment/book_channel_settlement.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/refund/external_refund.h"

namespace finality {
namespace {

// Whether the receipt is of the trade that the evidence reports as paid.
bool is_of_trade(const OrderAggregate& aggregate, const Receipt& receipt, ObjectRef collector,
                 const Evidence& evidence) {
  return evidence.kind == EvidenceKind::paid && is_collected_by(receipt, collector) &&
         trade_no_of(aggregate, receipt) == evidence.channel_trade_no;
}

// Returns the collector's receipt of the trade that the evidence reports as paid; null if it has no receipt of that
// trade in the evidence's currency.
const Receipt* receipt_of_trade(const OrderAggregate& aggregate, ObjectRef collector, const Evidence& evidence) {
  const auto at = std::ranges::find_if(aggregate.receipts, [&](const Receipt& receipt) {
    return is_of_trade(aggregate, receipt, collector, evidence) && receipt.currency == evidence.currency;
  });
  return at == aggregate.receipts.end() ? nullptr : &*at;
}

}  // namespace

bool brings_external_refund(const OrderAggregate& aggregate, ObjectRef collector, const Evidence& evidence) {
  const Receipt* receipt = receipt_of_trade(aggregate, collector, evidence);
  return receipt != nullptr && external_refund_changes(aggregate, *receipt, evidence).any();
}

bool contradicts_receipt(const OrderAggregate& aggregate, ObjectRef collector, const Evidence& evidence) {
  return std::ranges::any_of(aggregate.receipts, [&](const Receipt& receipt) {
    return is_of_trade(aggregate, receipt, collector, evidence) &&
           (receipt.amount != evidence.amount || receipt.currency != evidence.currency);
  });
}

void add_reads_of_reports(MerchantId merchant, std::string_view channel, const Evidence& evidence, ReadSet& reads) {
  if (evidence.refund || evidence.refunded > 0)
    add_reads_of_external_refunds(merchant, channel, evidence.currency, reads);
  add_reads_of_settlement(merchant, channel, evidence.currency, evidence.settlement, reads);
  if (evidence.refund)
    add_reads_of_settlement(merchant, channel, evidence.currency, evidence.refund->settlement, reads);
}

void book_reported_refunds(OrderWriter& writer, ObjectRef collector, const Evidence& evidence) {
  const OrderAggregate& aggregate = writer.aggregate();
  const Receipt* receipt = receipt_of_trade(aggregate, collector, evidence);
  if (receipt == nullptr) return;
  const ExternalRefundChanges changes = external_refund_changes(aggregate, *receipt, evidence);
  const bool is_returned = evidence.refund && evidence.refund->returned;
  if (changes.any() || is_returned) book_external_refunds(writer, receipt->id, evidence, changes);
}

void book_reported_settlements(OrderWriter& writer, ObjectRef collector, const Evidence& evidence) {
  const OrderAggregate& aggregate = writer.aggregate();
  const Receipt* receipt = receipt_of_trade(aggregate, collector, evidence);
  if (receipt == nullptr) return;
  book_settlement(writer, collector, receipt->id, evidence.settlement);
  if (!evidence.refund || !evidence.refund->settlement) return;
  const auto refund = external_refund_with(aggregate, *receipt, evidence.refund->number, evidence.refund->amount);
  book_settlement(writer, collector, refund, evidence.refund->settlement);
}

}  // namespace finality
