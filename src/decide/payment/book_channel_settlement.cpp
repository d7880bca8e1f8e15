#include "decide/payment/book_channel_settlement.h"

#include <algorithm>

#include "decide/add_row.h"
#include "decide/exception/open_case.h"
#include "decide/post.h"
#include "decide/refund/external_refund.h"
#include "ledger/fee.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Receipts are converted in one direction; refunds and reversals in the other.
struct Conversion {
  EntryType receivable;
  EntryType for_merchant;
};
constexpr Conversion kOfReceipt{EntryType::receipt_converted, EntryType::receipt_converted_for_merchant};
constexpr Conversion kOfRefund{EntryType::refund_converted, EntryType::refund_converted_for_merchant};

constexpr EntryType kTypes[] = {kOfReceipt.receivable, kOfReceipt.for_merchant, kOfRefund.receivable,
                                kOfRefund.for_merchant};
constexpr EntryType kFeeTypes[] = {EntryType::channel_fee, EntryType::channel_fee_returned};

/// The document of a settlement: a receipt, or a refund or reversal that has succeeded.
struct SettledDocument {
  Collector collector;
  MinorUnits amount = 0;
  Currency currency;
  MinorUnits of_merchant = 0;   // part of `amount` that was posted to the merchant's account, not to suspense
  bool is_written_off = false;  // booked as a loss, because the channel had withdrawn its result
  Conversion conversion = kOfRefund;
};

std::optional<SettledDocument> find_document(const OrderAggregate& aggregate, ObjectRef document) {
  if (document.type == ObjectType::receipt) {
    const Receipt* row = find_row(aggregate.receipts, ReceiptId{document.value});
    if (row == nullptr) return std::nullopt;
    const MinorUnits of_merchant = row->state == ReceiptState::accepted ? row->amount : 0;
    return SettledDocument{collector_of(aggregate, *row), row->amount, row->currency, of_merchant,
                           row->written_off != 0,         kOfReceipt};
  }
  if (document.type == ObjectType::refund) {
    const Refund* row = find_row(aggregate.refunds, RefundId{document.value});
    if (row == nullptr || row->state != RefundState::succeeded) return std::nullopt;
    return SettledDocument{collector_of(aggregate, *row), row->amount, row->currency, row->amount - row->from_suspense};
  }
  const Reversal* row = find_row(aggregate.reversals, ReversalId{document.value});
  if (row == nullptr || row->state != ReversalState::succeeded) return std::nullopt;
  return SettledDocument{collector_of(aggregate, *row), row->amount, row->currency};
}

bool is_same(const ChannelSettlement& row, const ReportedSettlement& reported) {
  return row.transaction_no == reported.transaction_no && row.settled_amount == reported.amount &&
         row.settled_currency == reported.currency && row.fee == reported.fee;
}

bool is_contradictory(const WorkingSet& rows, const OrderAggregate& aggregate, ObjectRef document,
                      const SettledDocument& of, const ReportedSettlement& reported) {
  if (of.amount == 0 || of.is_written_off || settlement_of(aggregate, document) != nullptr) return true;
  if (reported.currency == of.currency && reported.amount != of.amount) return true;
  return rows.keys.find(key_of_channel_settlement(of.collector.merchant_id, of.collector.channel,
                                                  reported.transaction_no)) != nullptr;
}

// Whether the merchant's balance is converted too. A refund follows the conversion of its receipt, so that a change of
// the configuration does not leave a balance in both currencies.
bool does_convert_for_merchant(const OrderAggregate& aggregate, const Policy& policy, const Collector& collector,
                               ObjectRef document) {
  const Refund* refund =
      document.type == ObjectType::refund ? find_row(aggregate.refunds, RefundId{document.value}) : nullptr;
  const Receipt* receipt = refund != nullptr ? receipt_of(aggregate, *refund) : nullptr;
  const ChannelSettlement* of_receipt = receipt != nullptr ? settlement_of(aggregate, receipt->id) : nullptr;
  if (of_receipt != nullptr && of_receipt->is_converted()) return of_receipt->merchant_amount != 0;
  return policy.merchant_currency_of(collector.channel) == MerchantCurrency::settlement;
}

// Posts nothing for an amount of 0. Returns whether a journal was posted.
bool post_and_note(OrderWriter& writer, const ledger::Posting& posting) {
  const auto journal = post(writer.context(), posting);
  if (journal) writer.noted(name_of(posting.type), *journal);
  return journal.has_value();
}

bool post_conversion(OrderWriter& writer, const Collector& collector, const ChannelSettlement& row, Conversion types) {
  const auto convert = [&](EntryType type, MinorUnits amount, MinorUnits settled) {
    ledger::Posting posting = posting_for(collector, type, row.id, row.currency, amount);
    posting.settled_amount = settled;
    posting.settled_currency = row.settled_currency;
    return post_and_note(writer, posting);
  };
  if (!row.is_converted()) return false;
  const bool is_posted = convert(types.receivable, row.amount, row.settled_amount);
  return convert(types.for_merchant, row.merchant_amount, row.merchant_settled) || is_posted;
}

bool post_fee(OrderWriter& writer, const Collector& collector, const ChannelSettlement& row) {
  const EntryType type = row.fee < 0 ? EntryType::channel_fee_returned : EntryType::channel_fee;
  return post_and_note(writer,
                       posting_for(collector, type, row.id, row.settled_currency, row.fee < 0 ? -row.fee : row.fee));
}

}  // namespace

void add_reads_of_settlement(MerchantId merchant, std::string_view channel, Currency currency,
                             const std::optional<ReportedSettlement>& reported, ReadSet& reads) {
  if (!reported) return;
  reads.keys.push_back({key_of_channel_settlement(merchant, channel, reported->transaction_no)});
  for (const EntryType type : kTypes) ledger::add_reads(type, merchant, channel, currency, reads, reported->currency);
  for (const EntryType type : kFeeTypes) ledger::add_reads(type, merchant, channel, reported->currency, reads);
}

const ChannelSettlement* settlement_of(const OrderAggregate& aggregate, ObjectRef document) {
  const auto at = std::ranges::find_if(aggregate.channel_settlements, [&](const ChannelSettlement& row) {
    return ObjectRef(row.document_type, row.document_id) == document;
  });
  return at == aggregate.channel_settlements.end() ? nullptr : &*at;
}

bool is_settlement_new(const OrderAggregate& aggregate, std::optional<ObjectRef> document,
                       const std::optional<ReportedSettlement>& reported) {
  if (!reported) return false;
  const ChannelSettlement* booked = document ? settlement_of(aggregate, *document) : nullptr;
  return booked == nullptr || !is_same(*booked, *reported);
}

void book_settlement(OrderWriter& writer, ObjectRef about, std::optional<ObjectRef> document,
                     const std::optional<ReportedSettlement>& reported) {
  Context& context = writer.context();
  OrderAggregate& aggregate = writer.aggregate();
  if (!is_settlement_new(aggregate, document, reported)) return;
  const std::optional<SettledDocument> found = document ? find_document(aggregate, *document) : std::nullopt;
  if (!found || is_contradictory(context.rows, aggregate, *document, *found, *reported))
    return open_case(writer, CaseKind::report_mismatch, about);

  const SettledDocument& of = *found;
  const Collector& collector = of.collector;
  ChannelSettlement row{.id = context.next_id<ChannelSettlementId>(),
                        .order_id = collector.order_id,
                        .merchant_id = collector.merchant_id,
                        .channel = std::string(collector.channel),
                        .document_type = document->type,
                        .document_id = document->value,
                        .transaction_no = reported->transaction_no,
                        .amount = of.amount,
                        .currency = of.currency,
                        .settled_amount = reported->amount,
                        .settled_currency = reported->currency,
                        .fee = reported->fee,
                        .exchange_rate = reported->exchange_rate,
                        .available_on = reported->available_on,
                        .created_at = context.now};
  set_collector(row, collector.id);
  if (row.is_converted() && does_convert_for_merchant(aggregate, context.policy, collector, *document)) {
    row.merchant_settled = ledger::share_of(row.settled_amount, of.of_merchant, of.amount);
    row.merchant_amount = row.merchant_settled == 0 ? 0 : of.of_merchant;
  }
  const Hash16 key = key_of_channel_settlement(row.merchant_id, row.channel, row.transaction_no);
  context.rows.keys.insert(key, {key, row.merchant_id, row.id.value});
  const bool is_converted = post_conversion(writer, collector, row, of.conversion);
  const bool has_fee = post_fee(writer, collector, row);
  if (!is_converted && !has_fee) writer.noted("settled_by_channel");  // otherwise the journals have the events
  add_row(aggregate.channel_settlements, std::move(row));
}

}  // namespace finality
