#include "worker/statements/funds_documents.h"

#include <algorithm>

#include "decide/payment/trade.h"
#include "decide/refund/external_refund.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

constexpr std::size_t kEventsOfRefund = 100;

// Returns the receipt of the trade that the line names; null if there is none.
const Receipt* receipt_of_trade(const StatementLine& line, const OrderAggregate& order) {
  const auto at = std::ranges::find_if(
      order.receipts, [&](const Receipt& other) { return trade_no_of(order, other) == line.channel_trade_no; });
  return at == order.receipts.end() ? nullptr : &*at;
}

// Whether the row is the money of the refund of the line that the payer's side returned. A line without the number of
// the refund can report a return of every refund of the trade.
bool is_return_of(const Return& row, const StatementLine& line, const OrderAggregate& order) {
  if (row.amount != line.amount || row.currency != line.currency) return false;
  const auto number = parse_out_refund_no(line.out_refund_no);
  if (number || !line.out_refund_no.empty()) return number && row.refund_id.value == number->object;
  const Receipt* receipt = receipt_of_trade(line, order);
  const Refund* refund = find_row(order.refunds, row.refund_id);
  return receipt != nullptr && refund != nullptr && is_refund_of_trade(order, *refund, *receipt);
}

// Alipay's funds statements do not state the number of a refund: every refund of the trade with its amount can be
// meant. All of them are the same money, so any order of the matches gives the same balance. Refunds of another receipt
// of the order are not.
std::vector<ObjectRef> refunds_of(const StatementLine& line, const OrderAggregate& order) {
  const Receipt* receipt = receipt_of_trade(line, order);
  if (receipt == nullptr) return {};
  const auto is_meant = [&](const auto& row) {
    return row.state == decltype(row.state)::succeeded && is_refund_of_trade(order, row, *receipt) &&
           row.amount == -line.amount && row.currency == line.currency;
  };
  std::vector<ObjectRef> found;
  for (const Refund& refund : order.refunds)
    if (is_meant(refund)) found.emplace_back(refund.id);
  for (const Reversal& reversal : order.reversals)
    if (is_meant(reversal)) found.emplace_back(reversal.id);
  return found;
}

}  // namespace

Result<std::vector<BookedDocument>> find_documents(Reader& reader, const StatementLine& line,
                                                   const OrderAggregate* order, const WorkingSet& rows,
                                                   Comparison& found) {
  std::vector<BookedDocument> documents;
  if (line.kind == LineKind::refund_returned) {
    if (order == nullptr) return documents;
    for (const Return& row : order->returns)
      if (is_return_of(row, line, *order)) documents.push_back({row.id, row.created_at});
    return documents;
  }
  if (line.kind == LineKind::refund && line.out_refund_no.empty() && order != nullptr) {
    found.classes.clear();
    for (const ObjectRef refund : refunds_of(line, *order)) {
      const auto booked = booked_at(reader, refund, rows, order);
      if (!booked) return std::unexpected(booked.error());
      if (!*booked) return fail(to_text(refund) + " has no event about its success");
      documents.push_back({refund, **booked});
    }
    return documents;
  }
  if (found.document.value == 0) return documents;
  const auto booked = booked_at(reader, found.document, rows, order);
  if (!booked) return std::unexpected(booked.error());
  if (found.is_match() && !*booked) return fail(to_text(found.document) + " has no event about its success");
  documents.push_back({found.document, booked->value_or(Time{}), booked->has_value()});
  return documents;
}

// The rows of refunds and reversals do not contain the time at which they succeeded; their events do. A return is a
// later event of a refund that stays succeeded.
Result<std::optional<Time>> booked_at(Reader& reader, ObjectRef document, const WorkingSet& rows,
                                      const OrderAggregate* order) {
  if (document.type == ObjectType::unknown_receipt)
    return rows.unknown_receipts.find(UnknownReceiptId{document.value})->unknown_receipt.created_at;
  if (document.type == ObjectType::receipt) return find_row(order->receipts, ReceiptId{document.value})->created_at;
  if (document.type == ObjectType::refund) {
    const Refund& refund = *find_row(order->refunds, RefundId{document.value});
    if (is_external(refund)) return refund.created_at;
  }
  const auto events = reader.events(order->order.id.value, document, {.limit = kEventsOfRefund}, false);
  if (!events) return std::unexpected(events.error());
  const auto succeeded = std::ranges::find_if(events->rows, [](const Event& event) {
    return event.journal_id && event.to_state == "succeeded" && event.from_state != event.to_state;
  });
  return succeeded == events->rows.end() ? std::nullopt : std::optional(succeeded->at);
}

}  // namespace finality
