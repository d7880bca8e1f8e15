#include "decide/payment/book_receipt.h"

#include <algorithm>

#include "decide/add_row.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "decide/exception/open_case.h"
#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/external_refund.h"
#include "model/natural_key.h"

namespace finality {
namespace {

// Returns Receipt::ordinal of a trade: that of the capture if its trade has the number of the authorization, because
// all captures then have the same number.
std::int64_t ordinal_of(const Policy& policy, const OrderAggregate& aggregate, const Collector& collector,
                        std::string_view trade_no) {
  if (!collector.authorization_id) return 0;
  const Authorization* authorization = find_row(aggregate.authorizations, *collector.authorization_id);
  const Capture* capture = find_row(aggregate.captures, CaptureId{collector.id.value});
  FINALITY_CHECK(authorization != nullptr && capture != nullptr, "a capture has an authorization");
  const AuthorizationTerms* terms = policy.terms_of(authorization->channel);
  const bool is_shared = (terms != nullptr && terms->shares_trade_no) || trade_no == trade_no_of(*authorization);
  return is_shared ? capture->ordinal : 0;
}

// Opens the case of a refund of unknown amount for the receipt's collector, unless it is open: the case that the refund
// opened is about the first receipt of the trade.
void note_unknown_refund(OrderWriter& writer, const Receipt& receipt) {
  const ObjectRef collector = collector_id_of(receipt);
  if (find_open_case(writer.aggregate().cases, CaseKind::external_refund, collector) == nullptr)
    open_case(writer, CaseKind::external_refund, collector);
}

}  // namespace

bool has_receipt(const Context& context, const OrderAggregate& aggregate, ObjectRef id, std::string_view trade_no) {
  const bool is_collected = std::ranges::any_of(aggregate.receipts, [&](const Receipt& receipt) {
    return is_collected_by(receipt, id) && trade_no_of(aggregate, receipt) == trade_no;
  });
  if (is_collected) return true;
  // A number that captures share is not looked up: only receipts of this order can have it.
  const Collector collector = collector_with(aggregate, id);
  return ordinal_of(context.policy, aggregate, collector, trade_no) == 0 &&
         context.rows.keys.find(key_of_receipt(collector.merchant_id, collector.channel, trade_no)) != nullptr;
}

BookedReceipt book_receipt(OrderWriter& writer, const Collector& collector, const Evidence& evidence,
                           ReceiptState state) {
  Context& context = writer.context();
  Receipt receipt;
  receipt.id = context.next_id<ReceiptId>();
  receipt.order_id = collector.order_id;
  set_collector(receipt, collector.id);
  receipt.merchant_id = collector.merchant_id;
  receipt.channel = collector.channel;
  receipt.channel_account_id = collector.channel_account_id;
  receipt.channel_trade_no = evidence.channel_trade_no.value_or("");
  receipt.amount = evidence.amount;
  receipt.currency = evidence.currency;
  receipt.state = state;
  receipt.paid_at = evidence.paid_at;
  receipt.created_at = context.now;
  receipt.ordinal = ordinal_of(context.policy, writer.aggregate(), collector, receipt.channel_trade_no);
  const Hash16 key = key_of_receipt(receipt.merchant_id, receipt.channel, receipt.channel_trade_no, receipt.ordinal);
  context.rows.keys.insert(key, {key, receipt.merchant_id, receipt.id.value});
  add_row(writer.aggregate().receipts, receipt);

  if (!add_collected(writer.aggregate(), receipt)) {
    context.findings.push_back(to_text(collector.id) + ": the sum of its receipts overflows");
    return {receipt.id, std::nullopt};
  }
  const EntryType type = state == ReceiptState::accepted ? EntryType::receipt_accepted : EntryType::receipt_in_suspense;
  return {receipt.id, post(context, posting_for(collector, type, receipt.id, receipt.currency, receipt.amount))};
}

void return_receipt(OrderWriter& writer, Receipt& receipt) {
  if (receipt.state != ReceiptState::suspense) return;
  receipt.state = ReceiptState::returned;
  add_reversed(writer.aggregate(), receipt);
}

void start_reversal(OrderWriter& writer, const Receipt& receipt) {
  Context& context = writer.context();
  const MinorUnits left = left_in_suspense(writer.aggregate(), receipt);
  if (left == 0) return;
  if (first_of_trade(writer.aggregate(), receipt).is_refund_unknown) return note_unknown_refund(writer, receipt);
  Reversal reversal;
  reversal.id = context.next_id<ReversalId>();
  reversal.order_id = receipt.order_id;
  set_collector(reversal, collector_id_of(receipt));
  reversal.receipt_id = receipt.id;
  reversal.merchant_id = receipt.merchant_id;
  reversal.channel_account_id = receipt.channel_account_id;
  reversal.amount = left;
  reversal.currency = receipt.currency;
  reversal.created_at = context.now;
  writer.created(reversal.id, name_of(reversal.state));
  Reversal& made = add_row(writer.aggregate().reversals, std::move(reversal));
  if (!writer.order().parked) claim_send(writer, made);
}

}  // namespace finality
