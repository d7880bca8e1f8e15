#include "decide/refund/book_return.h"

#include <algorithm>
#include <vector>

#include "decide/add_row.h"
#include "decide/delivery/notify_merchant.h"
#include "decide/exception/open_case.h"
#include "decide/payment/charge_fee.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/post.h"
#include "decide/refund/external_refund.h"

namespace finality {
namespace {

constexpr EntryType kReturnTypes[] = {EntryType::refund_returned, EntryType::charged_refund_returned,
                                      EntryType::fee_charged_again};

// Returns the amount that can still be returned: the refund without the part posted from suspense and without earlier
// returns. The part from suspense was not charged to the merchant or the platform.
MinorUnits left_to_return(const Refund& refund) {
  return refund.amount - refund.from_suspense - refund.returned_amount;
}

// Returns the succeeded refunds to which a return of the refund `number` applies: the refund with that out_refund_no,
// and the external refunds without a refund number, if the receipt lists `number` among its external refund numbers.
std::vector<RefundId> refunds_of(const OrderAggregate& aggregate, const Receipt& receipt, const std::string& number) {
  std::vector<RefundId> named;
  std::vector<RefundId> unnumbered;
  bool is_own = false;
  for (const Refund& refund : aggregate.refunds) {
    if (refund.state != RefundState::succeeded || !is_refund_of_trade(aggregate, refund, receipt)) continue;
    if (refund.out_refund_no == number) {
      named.push_back(refund.id);
      is_own = !is_external(refund);
    } else if (is_external(refund) && refund.out_refund_no.empty()) {
      unnumbered.push_back(refund.id);
    }
  }
  if (!is_own && listed(first_of_trade(aggregate, receipt).refund_numbers, number))
    named.insert(named.end(), unnumbered.begin(), unnumbered.end());
  return named;
}

void post_and_note(OrderWriter& writer, Refund& refund, EntryType type, ReturnId id, MinorUnits amount) {
  const Collector collector = collector_of(writer.aggregate(), refund);
  const auto journal = post(writer.context(), posting_for(collector, type, id, refund.currency, amount));
  if (journal) writer.noted(refund, name_of(type), *journal);
}

// Books `amount`, the part of a return that applies to `refund`.
void book_part(OrderWriter& writer, Refund& refund, const std::string& number, MinorUnits amount) {
  Context& context = writer.context();
  OrderAggregate& aggregate = writer.aggregate();
  const Receipt& receipt = *receipt_of(aggregate, refund);
  Return row{.id = context.next_id<ReturnId>(),
             .order_id = refund.order_id,
             .refund_id = refund.id,
             .merchant_id = refund.merchant_id,
             .amount = amount,
             .currency = refund.currency,
             .channel_no = number,
             .created_at = context.now};
  // A return of an external refund is credited to the merchant first, then to the platform. A return of a refund that
  // the merchant requested is credited to the merchant only.
  if (is_external(refund)) {
    const MinorUnits by_merchant =
        external_outside_suspense(aggregate, receipt) - borne_by_platform(aggregate, receipt);
    row.to_platform = std::max<MinorUnits>(amount - by_merchant, 0);
  }
  refund.returned_amount += amount;
  add_refunded(aggregate, receipt, -amount);
  post_and_note(writer, refund, EntryType::refund_returned, row.id, amount - row.to_platform);
  post_and_note(writer, refund, EntryType::charged_refund_returned, row.id, row.to_platform);
  row.fee_charged = fee_to_charge_again(aggregate, refund);
  refund.fee_charged_again += row.fee_charged;
  post_and_note(writer, refund, EntryType::fee_charged_again, row.id, row.fee_charged);
  add_row(aggregate.returns, std::move(row));
  notify_merchant(writer, "refund.returned", refund);
}

}  // namespace

MinorUnits borne_by_platform(const OrderAggregate& aggregate, const Receipt& receipt) {
  MinorUnits sum = 0;
  for (const Refund& refund : aggregate.refunds)
    if (is_refund_of_trade(aggregate, refund, receipt)) sum += refund.charged;
  for (const Return& row : aggregate.returns) {
    const Refund* refund = find_row(aggregate.refunds, row.refund_id);
    if (refund != nullptr && is_refund_of_trade(aggregate, *refund, receipt)) sum -= row.to_platform;
  }
  return sum;
}

MinorUnits external_outside_suspense(const OrderAggregate& aggregate, const Receipt& receipt) {
  MinorUnits sum = 0;
  for (const Refund& refund : aggregate.refunds) {
    const bool counts = is_external(refund) && refund.state == RefundState::succeeded;
    if (counts && is_refund_of_trade(aggregate, refund, receipt)) sum += left_to_return(refund);
  }
  return sum;
}

bool is_booked(const OrderAggregate& aggregate, const Receipt& receipt, const ReportedReturn& reported) {
  return std::ranges::any_of(aggregate.returns, [&](const Return& row) {
    const Refund* refund = find_row(aggregate.refunds, row.refund_id);
    return row.channel_no == reported.number && refund != nullptr && is_refund_of_trade(aggregate, *refund, receipt);
  });
}

void add_reads_of_returns(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads) {
  for (const EntryType type : kReturnTypes) ledger::add_reads(type, merchant, channel, currency, reads);
}

void book_return(OrderWriter& writer, ObjectRef about, const ReturnOf& it) {
  OrderAggregate& aggregate = writer.aggregate();
  const Receipt* receipt = find_row(aggregate.receipts, it.receipt_id);
  FINALITY_CHECK(receipt != nullptr, "a returned refund has a receipt");
  if (is_booked(aggregate, *receipt, it.reported)) return;
  const std::vector<RefundId> refunds = refunds_of(aggregate, *receipt, it.out_refund_no);
  MinorUnits left = 0;
  for (const RefundId id : refunds) left += left_to_return(*find_row(aggregate.refunds, id));
  const bool fits = it.reported.amount > 0 && it.reported.amount <= left &&
                    aggregate.returns.size() + refunds.size() <= limits::kReturnsMax;
  if (!fits) {
    if (!refunds.empty()) about = refunds.front();
    return open_case(writer, CaseKind::conflicting_result, about);
  }
  MinorUnits rest = it.reported.amount;
  for (const RefundId id : refunds) {
    Refund& refund = *find_row(aggregate.refunds, id);
    const MinorUnits part = std::min(rest, left_to_return(refund));
    if (part > 0) book_part(writer, refund, it.reported.number, part);
    rest -= part;
  }
  if (over_refunded(aggregate, *receipt) > 0) return;
  for (const Refund& refund : aggregate.refunds)
    if (is_refund_of_trade(aggregate, refund, *receipt)) settle_case(writer, CaseKind::over_refunded, refund.id);
}

}  // namespace finality
