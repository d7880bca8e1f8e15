#include "decide/book_return.h"

#include <algorithm>

#include "decide/add_row.h"
#include "decide/charge_fee.h"
#include "decide/external_refund.h"
#include "decide/notify_merchant.h"
#include "decide/open_case.h"
#include "ledger/post.h"
#include "wire/wire.h"

namespace finality {
namespace {

constexpr EntryType kReturnTypes[] = {EntryType::refund_returned, EntryType::charged_refund_returned,
                                      EntryType::fee_charged_again};

// The part of the refund that the merchant or the platform still bears. Suspense belongs to the payer.
MinorUnits left_to_return(const Refund& refund) {
  return refund.amount - refund.from_suspense - refund.returned_amount;
}

bool is_of(const Refund& refund, const std::string& out_refund_no) {
  return refund.state == RefundState::succeeded && refund.out_refund_no == out_refund_no;
}

void post(OrderWriter& writer, Refund& refund, EntryType type, const std::string& channel, ReturnId id,
          MinorUnits amount) {
  if (amount == 0) return;
  Context& context = writer.context();
  const auto journal =
      ledger::post({type, refund.merchant_id, channel, refund.currency, amount, id, refund.order_id.value},
                   context.rows, context.ids, context.now);
  if (journal)
    writer.noted(refund, name_of(type), *journal);
  else
    context.findings.push_back(journal.error());
}

}  // namespace

bool is_booked(const OrderAggregate& aggregate, const std::string& out_refund_no, const ReportedReturn& reported) {
  return std::ranges::any_of(aggregate.returns, [&](const Return& row) {
    const Refund* refund = find_row(aggregate.refunds, row.refund_id);
    return row.channel_no == reported.number && refund != nullptr && is_of(*refund, out_refund_no);
  });
}

void add_needs_of_returns(MerchantId merchant, std::string_view channel, Currency currency, Needs& needs) {
  for (const EntryType type : kReturnTypes) ledger::add_needs(type, merchant, channel, currency, needs);
}

void book_return(OrderWriter& writer, ObjectRef about, const std::string& out_refund_no, const ReportedReturn& reported,
                 const std::string& evidence_json) {
  OrderAggregate& aggregate = writer.aggregate();
  if (is_booked(aggregate, out_refund_no, reported)) return;
  const auto at = std::ranges::find_if(aggregate.refunds, [&](const Refund& row) { return is_of(row, out_refund_no); });
  const bool fits = at != aggregate.refunds.end() && reported.amount > 0 && reported.amount <= left_to_return(*at) &&
                    aggregate.returns.size() < limits::kReturnsMax;
  if (!fits) return open_case(writer, CaseKind::contradiction, about, evidence_json);

  Context& context = writer.context();
  Refund& refund = *at;
  const Receipt* receipt = receipt_of(aggregate, refund);
  FINALITY_CHECK(receipt != nullptr, "a refund that succeeded without its receipt");
  Return row{.id = context.next_id<ReturnId>(),
             .order_id = refund.order_id,
             .refund_id = refund.id,
             .merchant_id = refund.merchant_id,
             .amount = reported.amount,
             .currency = refund.currency,
             .channel_no = reported.number,
             .created_at = context.now};
  // What the merchant bore comes first, then what the platform did.
  row.to_platform = std::max<MinorUnits>(reported.amount - (left_to_return(refund) - refund.charged), 0);
  refund.charged -= row.to_platform;
  refund.returned_amount += row.amount;
  if (receipt->state == ReceiptState::accepted) writer.order().refunded_amount -= row.amount;
  post(writer, refund, EntryType::refund_returned, receipt->channel, row.id, row.amount - row.to_platform);
  post(writer, refund, EntryType::charged_refund_returned, receipt->channel, row.id, row.to_platform);
  row.fee_charged = fee_to_charge_again(aggregate, refund);
  refund.fee_charged_again += row.fee_charged;
  post(writer, refund, EntryType::fee_charged_again, receipt->channel, row.id, row.fee_charged);
  add_row(aggregate.returns, std::move(row));
  if (over_refunded(aggregate, *receipt) == 0) settle_case(writer, aggregate.cases, CaseKind::over_refunded, refund.id);
  notify_merchant(writer, "refund.returned", wire::refund_json(refund));
}

}  // namespace finality
