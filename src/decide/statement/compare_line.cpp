#include "decide/statement/compare_line.h"

#include <algorithm>
#include <cstdlib>

#include "base/time/date.h"
#include "decide/authorization/held.h"
#include "decide/channel/channel_operation.h"
#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "decide/refund/external_refund.h"
#include "ledger/fee.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

using enum DifferenceClass;

/// A line, and what it is compared with.
struct Line {
  const StatementLine& line;
  const LineContext& context;
  const OrderAggregate* order;
  const UnknownReceipt* unknown;

  bool is_evidence() const { return context.source == StatementSource::fetched; }
};

// Returns the collector of the first accepted receipt of the authorization's captures, which stands for their trade.
std::optional<Collector> find_head(const OrderAggregate& order, AuthorizationId authorization) {
  for (const Receipt& receipt : order.receipts) {
    const Collector collector = collector_of(order, receipt);
    if (collector.authorization_id == authorization && receipt.state == ReceiptState::accepted) return collector;
  }
  return std::nullopt;
}

// Returns the capture of the trade of a line that names no number of ours: one that the channel made without a request.
std::optional<Collector> find_by_trade(const Line& one) {
  const Capture* found = nullptr;
  for (const Receipt& receipt : one.order->receipts) {
    const Capture* capture = receipt.capture_id ? find_row(one.order->captures, *receipt.capture_id) : nullptr;
    if (capture == nullptr || capture->origin != CaptureOrigin::channel) continue;
    if (trade_no_of(*one.order, receipt) != one.line.channel_trade_no) continue;
    if (found == nullptr || capture->out_trade_no == one.line.out_trade_no) found = capture;
  }
  return found == nullptr ? std::nullopt : find_collector(*one.order, found->id);
}

// Returns the collector whose number the line names; empty if the books do not have it. A payment names its own number,
// and a refund can also name the authorization whose captures are one trade.
std::optional<Collector> find_named(const Line& one) {
  if (one.order == nullptr) return std::nullopt;
  const std::string& number = one.line.out_trade_no;
  if (const auto payment = parse_out_trade_no(number)) return find_collector(*one.order, payment->payment_id);
  if (!parse_ordinal_no(number)) return find_by_trade(one);
  const auto is_named = [&](const auto& row) { return row.out_trade_no == number; };
  const auto capture = std::ranges::find_if(one.order->captures, is_named);
  if (capture != one.order->captures.end()) return find_collector(*one.order, capture->id);
  const auto authorization = std::ranges::find_if(one.order->authorizations, is_named);
  const bool is_refund = one.line.kind != LineKind::payment;
  return is_refund && authorization != one.order->authorizations.end() ? find_head(*one.order, authorization->id)
                                                                       : std::nullopt;
}

// Returns the collector that has the receipt of the trade of `named`: another one if the trade was booked from a
// captured total.
ObjectRef booked_as(const Line& one, const Collector& named) {
  const Capture* capture =
      named.id.type == ObjectType::capture ? find_row(one.order->captures, CaptureId{named.id.value}) : nullptr;
  const Capture* total = capture != nullptr ? booked_as(*one.order, *capture) : nullptr;
  return total != nullptr ? ObjectRef(total->id) : named.id;
}

// Returns the order's receipt of the trade with the number of the line, if possible that of `named`; null without one.
// Receipts of one trade have the same number.
const Receipt* find_receipt(const Line& one, const Collector& named) {
  const ObjectRef collector = booked_as(one, named);
  const Receipt* found = nullptr;
  for (const Receipt& receipt : one.order->receipts) {
    if (trade_no_of(*one.order, receipt) != one.line.channel_trade_no) continue;
    if (is_collected_by(receipt, collector)) return &receipt;
    if (found == nullptr && receipt.ordinal == 0) found = &receipt;
  }
  return found;
}

// Returns the receipt of the line's trade that stands for its refunds; null without one.
const Receipt* find_refunded(const Line& one, const Collector& named) {
  const Receipt* receipt = find_receipt(one, named);
  const Receipt* head = receipt != nullptr ? head_of_trade(*one.order, *receipt) : nullptr;
  return head != nullptr ? head : receipt;
}

Evidence paid_evidence(const StatementLine& line) {
  return {.kind = EvidenceKind::paid,
          .source = CauseKind::statement,
          .asked_at = line.at,
          .channel_trade_no = line.channel_trade_no,
          .amount = line.amount,
          .currency = line.currency,
          .paid_at = line.at,
          .code = line.text,
          .message = "reported by a statement"};
}

// Returns the command that books what a line reports about the trade of `named`.
Repair evidence_about(const Collector& named, Evidence evidence) {
  if (named.id.type == ObjectType::capture)
    return RecordCapture{.merchant_id = named.merchant_id,
                         .order_id = named.order_id,
                         .channel = std::string(named.channel),
                         .out_trade_no = std::string(named.out_trade_no),
                         .evidence = std::move(evidence)};
  return RecordEvidence{.merchant_id = named.merchant_id,
                        .payment_id = PaymentId{named.id.value},
                        .channel = std::string(named.channel),
                        .out_trade_no = std::string(named.out_trade_no),
                        .evidence = std::move(evidence)};
}

Repair query_about(const Line& one, const Collector& named) {
  if (named.id.type != ObjectType::capture) return QueryPayment{named.merchant_id, PaymentId{named.id.value}};
  const Capture* capture = find_row(one.order->captures, CaptureId{named.id.value});
  return QueryAuthorization{named.merchant_id, named.order_id, capture->authorization_id};
}

void compare_amounts(const Line& one, MinorUnits amount, Currency currency, Comparison& found) {
  found.ours = amount;
  if (currency != one.line.currency)
    found.classes.push_back(currency_mismatch);
  else if (amount != one.line.amount)
    found.classes.push_back(amount_mismatch);
}

// The factor from minor units to StatementLine::fee_e5.
std::int64_t fee_factor(Currency currency) {
  std::int64_t factor = 1;
  for (int digits = exponent_of(currency); digits < kFeeDigits; ++digits) factor *= 10;
  return factor;
}

void compare_cost(const Line& one, const Collector& named, Comparison& found) {
  const StatementLine& line = one.line;
  const auto expected = expected_cost(one.context, named.method, line.currency, line.amount);
  if (!expected) return;
  const std::int64_t factor = fee_factor(line.currency);
  std::int64_t distance = 0;
  const bool is_too_far =
      __builtin_mul_overflow(*expected, factor, &distance) || __builtin_sub_overflow(line.fee_e5, distance, &distance);
  // A channel states a fee to the last of five digits and deducts it in whole minor units.
  if (is_too_far || std::abs(distance) > factor / 2) found.classes.push_back(cost_mismatch);
}

// The channel may return a part of the fee, at most the share of the refund. The share is rounded, by the channel
// perhaps up. Captures of one trade are refunded together, so their fees are not compared.
void compare_returned_fee(const Line& one, const Collector& named, Comparison& found) {
  const StatementLine& line = one.line;
  const Receipt* receipt =
      named.id.type == ObjectType::payment && found.is_match() ? find_refunded(one, named) : nullptr;
  if (receipt == nullptr || receipt->currency != line.currency || receipt->amount <= 0) return;
  const std::string day = date_of(receipt->paid_at, one.context.utc_offset);
  LineContext on_day = one.context;
  on_day.date = day;
  const auto paid = expected_cost(on_day, named.method, receipt->currency, receipt->amount);
  if (!paid) return;
  const MinorUnits share = ledger::share_of(*paid, std::min(line.amount, receipt->amount), receipt->amount);
  std::int64_t most = 0;
  const bool is_too_far = __builtin_mul_overflow(share + 1, fee_factor(line.currency), &most);
  if (!is_too_far && line.fee_e5 < -most) found.classes.push_back(cost_mismatch);
}

void compare_receipt(const Line& one, const Collector& named, const Receipt& receipt, Comparison& found) {
  found.document = receipt.id;
  compare_amounts(one, receipt.amount, receipt.currency, found);
  if (!is_collected_by(receipt, booked_as(one, named))) found.classes.insert(found.classes.begin(), identity_conflict);
  if (one.line.discount != 0) found.classes.push_back(discount_mismatch);
  compare_cost(one, named, found);
}

// A payment that the channel has revoked: it agrees with books without a receipt.
void compare_revoked(ObjectRef document, MinorUnits amount, Comparison& found) {
  found.document = document;
  found.ours = amount;
  found.classes.push_back(refund_status);
}

// A payment that the books do not have: of an unknown number, or of an archived order.
void compare_unknown(const Line& one, Comparison& found) {
  const bool is_paid = one.line.status == LineStatus::succeeded;
  if (one.unknown != nullptr) {
    if (!is_paid) return compare_revoked(one.unknown->id, one.unknown->amount, found);
    found.document = one.unknown->id;
    return compare_amounts(one, one.unknown->amount, one.unknown->currency, found);
  }
  if (!is_paid) return;
  found.classes.push_back(unknown_receipt);
  const Evidence evidence = paid_evidence(one.line);
  if (one.is_evidence() && is_unknown_receipt(evidence) && !one.line.channel_trade_no.empty())
    found.repair = RecordUnknownReceipt{one.context.account.channel, one.line.out_trade_no, evidence};
}

void compare_payment(const Line& one, const std::optional<Collector>& named, Comparison& found) {
  if (!named) return compare_unknown(one, found);
  const Receipt* receipt = find_receipt(one, *named);
  const bool is_paid = one.line.status == LineStatus::succeeded;
  if (receipt != nullptr && !is_paid) return compare_revoked(receipt->id, receipt->amount, found);
  if (receipt != nullptr) return compare_receipt(one, *named, *receipt, found);
  if (!is_paid) return;
  found.classes.push_back(late_status);
  if (!one.is_evidence())
    found.repair = query_about(one, *named);
  else if (!one.line.channel_trade_no.empty())  // a receipt is identified by its number
    found.repair = evidence_about(*named, paid_evidence(one.line));
}

std::string_view refund_number(const StatementLine& line) {
  return line.out_refund_no.empty() ? line.channel_refund_no : line.out_refund_no;
}

// Returns the command that books the refund as the channel has it.
template <class Row>
RecordRefund record_of_line(const Line& one, const Row& row) {
  return {.merchant_id = row.merchant_id,
          .order_id = row.order_id,
          .row = row.id,
          .out_refund_no = one.line.out_refund_no,
          .channel = one.context.account.channel,
          .currency = row.currency,
          .amount = row.amount,
          .evidence = {.kind = RefundEvidenceKind::refunded,
                       .source = CauseKind::statement,
                       .asked_at = one.line.at,
                       .code = one.line.text,
                       .message = "reported by a statement"}};
}

// Returns the query of a refund whose result is outstanding; empty for another refund.
template <class Row>
Repair query_about(const Row& row) {
  if (!row.due_at || is_to_be_sent(row)) return {};
  return ClaimRequest{row.merchant_id, row.order_id, row.id, *row.due_at};
}

// Whether a number of the line is that of another payment than the refunded one. Refunds of captures are not examined:
// the channel can report the number of their trade later.
template <class Row>
bool names_other_payment(const Line& one, const Collector& named, const Row& row) {
  const ObjectRef payment = collector_id_of(*one.order, row);
  if (payment.type != ObjectType::payment || payment.value == 0) return false;
  if (named.id != payment) return named.id.type == ObjectType::payment;
  return !one.line.channel_trade_no.empty() && std::ranges::none_of(one.order->receipts, [&](const Receipt& receipt) {
    return is_collected_by(receipt, payment) && trade_no_of(*one.order, receipt) == one.line.channel_trade_no;
  });
}

template <class Row>
void compare_own_refund(const Line& one, const Collector& named, const Row& row, Comparison& found) {
  const bool succeeded = row.state == decltype(row.state)::succeeded;
  const LineStatus status = one.line.status;
  if (status == LineStatus::failed) {  // another attempt may have succeeded
    if (succeeded && row.out_refund_no == one.line.out_refund_no) {
      found.document = row.id;
      found.ours = row.amount;
      found.classes.push_back(refund_status);
    }
    return;
  }
  found.document = row.id;
  compare_amounts(one, row.amount, row.currency, found);
  if (names_other_payment(one, named, row)) {
    found.classes.insert(found.classes.begin(), identity_conflict);
    return;
  }
  // The payout of another attempt than the booked one is a second payout.
  if (status != LineStatus::succeeded || (succeeded && row.out_refund_no == one.line.out_refund_no)) return;
  const bool is_same_money = found.classes.empty();
  found.classes.push_back(refund_status);
  if (is_same_money) found.repair = one.is_evidence() ? record_of_line(one, row) : query_about(row);
}

// Returns the external refund with the number of the line; null if it is not booked.
const Refund* find_external(const Line& one, const Receipt& receipt) {
  const std::string_view number = refund_number(one.line);
  const Refund* unnumbered = nullptr;
  for (const Refund& refund : one.order->refunds) {
    if (!is_external(refund) || !is_refund_of_trade(*one.order, refund, receipt)) continue;
    if (refund.channel_refund_no == number) return &refund;
    if (!refund.channel_refund_no && refund.amount == one.line.amount) unnumbered = &refund;
  }
  return listed(first_of_trade(*one.order, receipt).refund_numbers, number) ? unnumbered : nullptr;
}

// Returns the amount that the channel reported for an external refund. A part of it may have been booked before.
MinorUnits reported_amount_of(const Refund& refund) {
  return refund.reported_amount != 0 ? refund.reported_amount : refund.amount;
}

// Returns the external refund as which the payout of this number was booked, because the refund or reversal of the
// number had failed or had another attempt. Null if there is none.
const Refund* find_second_payout(const Line& one) {
  const auto at = std::ranges::find_if(one.order->refunds, [&](const Refund& refund) {
    return is_external(refund) && refund.state == RefundState::succeeded &&
           refund.out_refund_no == one.line.out_refund_no;
  });
  return at == one.order->refunds.end() ? nullptr : &*at;
}

ReportedRefund reported(const StatementLine& line) {
  const bool is_open = line.status == LineStatus::processing;
  return {.number = std::string(refund_number(line)),
          .amount = line.amount,
          .kind = is_open ? RefundEvidenceKind::accepted : RefundEvidenceKind::refunded};
}

void compare_external_refund(const Line& one, const Collector& named, Comparison& found) {
  if (one.line.status == LineStatus::failed) return;
  const Receipt* receipt = find_refunded(one, named);
  if (const Refund* refund = receipt != nullptr ? find_external(one, *receipt) : nullptr) {
    found.document = refund->id;
    return compare_amounts(one, reported_amount_of(*refund), refund->currency, found);
  }
  found.classes.push_back(external_refund);
  if (receipt == nullptr || refund_number(one.line).empty()) return;
  const bool is_of_named = is_collected_by(*receipt, booked_as(one, named));
  const Collector collector = is_of_named ? named : collector_of(*one.order, *receipt);
  if (!one.is_evidence()) {
    found.repair = query_about(one, collector);  // the channel's answer can report refunds of the trade
    return;
  }
  Evidence evidence = paid_evidence(one.line);
  evidence.amount = receipt->amount;
  evidence.currency = receipt->currency;
  evidence.paid_at = receipt->paid_at;
  evidence.refund = reported(one.line);
  found.repair = evidence_about(collector, std::move(evidence));
}

void compare_refund(const Line& one, const std::optional<Collector>& named, Comparison& found) {
  if (!named) {
    if (one.line.status != LineStatus::failed) found.classes.push_back(external_refund);
    return;
  }
  if (const auto number = parse_out_refund_no(one.line.out_refund_no)) {
    if (const Refund* payout = one.line.status == LineStatus::succeeded ? find_second_payout(one) : nullptr) {
      found.document = payout->id;
      return compare_amounts(one, reported_amount_of(*payout), payout->currency, found);
    }
    if (const Refund* refund = find_row(one.order->refunds, RefundId{number->object}))
      return compare_own_refund(one, *named, *refund, found);
    if (const Reversal* reversal = find_row(one.order->reversals, ReversalId{number->object}))
      return compare_own_refund(one, *named, *reversal, found);
  }
  compare_external_refund(one, *named, found);
}

const UnknownReceipt* find_unknown_receipt(const LineReads& line, const WorkingSet& rows) {
  const Key* known = line.trade_key ? rows.keys.find(*line.trade_key) : nullptr;
  const UnknownReceiptAggregate* found = known == nullptr ? nullptr : find_unknown_receipt(rows, *known);
  return found == nullptr ? nullptr : &found->unknown_receipt;
}

// Whether the number of the refund is of another merchant than the payment.
bool names_other_merchant(const StatementLine& line, const Collector& named) {
  if (line.kind == LineKind::payment || line.status == LineStatus::failed) return false;
  const auto number = parse_out_refund_no(line.out_refund_no);
  return number && number->merchant_id != named.merchant_id;
}

// The line of a funds statement in the form of a statement of trades, without fee and discount, which a funds statement
// lists apart.
StatementLine trade_of(const StatementLine& line) {
  StatementLine trade = line;
  trade.amount = std::abs(line.amount);
  trade.discount = 0;
  trade.fee_e5 = 0;
  return trade;
}

// Whether `one` is to be preferred to `other` for a payment: a rate for its method, for its currency, of a later date.
bool precedes(const ChannelRate& one, const ChannelRate& other) {
  if (one.method.has_value() != other.method.has_value()) return one.method.has_value();
  if (one.currency.has_value() != other.currency.has_value()) return one.currency.has_value();
  return one.from_date > other.from_date;
}

}  // namespace

LineReads reads_of(const ChannelAccount& account, const StatementLine& line) {
  LineReads reads;
  if (const auto number = parse_out_trade_no(line.out_trade_no)) {
    reads.merchant_id = number->merchant_id;
    reads.payment_id = number->payment_id;
  } else if (const auto of_order = parse_ordinal_no(line.out_trade_no)) {
    reads.merchant_id = of_order->merchant_id;
    reads.order_id = of_order->order_id;
  }
  if (!line.channel_trade_no.empty()) reads.trade_key = key_at_platform(account.channel, line.channel_trade_no);
  return reads;
}

void add_reads_of_order(const LineReads& line, ReadSet& reads) {
  if (line.payment_id) reads.payments.push_back(*line.payment_id);
  if (line.order_id) reads.orders.push_back(*line.order_id);
}

// The key refers to an object of one of both types. The other one does not exist.
void add_reads_of_trade(const LineReads& line, ReadSet& reads) {
  if (!line.trade_key) return;
  reads.keys.push_back({*line.trade_key, ObjectType::unknown_receipt});
  if (!line.is_named()) reads.keys.push_back({*line.trade_key, ObjectType::order});
}

void add_reads(const LineReads& line, ReadSet& reads) {
  add_reads_of_order(line, reads);
  add_reads_of_trade(line, reads);
}

std::optional<OrderId> order_of_trade(const LineReads& line, const WorkingSet& rows) {
  if (line.is_named() || !line.trade_key || !rows.keys.loaded(*line.trade_key)) return std::nullopt;
  const Key* key = rows.keys.find(*line.trade_key);
  return key == nullptr || find_unknown_receipt(rows, *key) != nullptr ? std::nullopt : std::optional(OrderId{key->id});
}

const OrderAggregate* find_order(const LineReads& line, const WorkingSet& rows) {
  if (line.payment_id) {
    const OrderId* order = rows.order_of_payment.find(*line.payment_id);
    return order == nullptr ? nullptr : rows.orders.find(*order);
  }
  const auto order = line.order_id ? line.order_id : order_of_trade(line, rows);
  return order ? rows.orders.find(*order) : nullptr;
}

std::optional<MerchantId> merchant_of(const StatementLine& line) {
  if (!line.out_trade_no.empty()) {
    if (const auto number = parse_out_trade_no(line.out_trade_no)) return number->merchant_id;
    const auto of_order = parse_ordinal_no(line.out_trade_no);
    return of_order ? std::optional(of_order->merchant_id) : std::nullopt;
  }
  const auto number = parse_out_refund_no(line.out_refund_no);
  return number ? std::optional(number->merchant_id) : std::nullopt;
}

bool Comparison::is_match() const {
  return document.value != 0 && std::ranges::all_of(classes, [](DifferenceClass one) {
           return one == cost_mismatch || one == discount_mismatch;
         });
}

Comparison compare_line(const StatementLine& line, const LineContext& context, const OrderAggregate* order,
                        const UnknownReceipt* unknown) {
  const Line one{line, context, order, unknown};
  Comparison found;
  const std::optional<Collector> named = find_named(one);
  if (named && named->channel_account_id != context.account.id) {
    found.classes.push_back(identity_conflict);
    return found;
  }
  if (named) {
    found.merchant_id = named->merchant_id;
    found.order_id = named->order_id;
  }
  if (named && names_other_merchant(line, *named)) {
    found.classes.push_back(identity_conflict);
    return found;
  }
  line.kind == LineKind::payment ? compare_payment(one, named, found) : compare_refund(one, named, found);
  if (named && line.kind != LineKind::payment) compare_returned_fee(one, *named, found);
  return found;
}

Comparison compare_line(const StatementLine& line, const LineContext& context, const WorkingSet& rows) {
  const LineReads reads = reads_of(context.account, line);
  const OrderAggregate* order = find_order(reads, rows);
  return compare_line(line, context, order, order == nullptr ? find_unknown_receipt(reads, rows) : nullptr);
}

bool has_document(const StatementLine& line) {
  if (line.kind == LineKind::payment || line.kind == LineKind::refund_returned) return line.amount > 0;
  return line.kind == LineKind::refund && line.amount < 0;
}

Comparison compare_funds_line(const StatementLine& line, const LineContext& context, const WorkingSet& rows) {
  const LineContext as_claim{
      .account = context.account, .date = context.date, .source = StatementSource::uploaded, .rates = {}};
  if (line.kind != LineKind::refund_returned) return compare_line(trade_of(line), as_claim, rows);
  Comparison found;
  if (const OrderAggregate* order = find_order(reads_of(context.account, line), rows)) {
    found.merchant_id = order->order.merchant_id;
    found.order_id = order->order.id;
  }
  return found;
}

Comparison before_repair(const StatementLine& line, const OrderAggregate* order, const Comparison& now) {
  Comparison before = now;
  const auto number = parse_out_refund_no(line.out_refund_no);
  const bool is_own = line.kind == LineKind::refund && number && order != nullptr &&
                      (find_row(order->refunds, RefundId{number->object}) != nullptr ||
                       find_row(order->reversals, ReversalId{number->object}) != nullptr);
  if (is_own) {
    before.classes = {refund_status};
    return before;
  }
  const bool is_unknown = now.document.type == ObjectType::unknown_receipt;
  before.classes = {line.kind == LineKind::refund ? external_refund : is_unknown ? unknown_receipt : late_status};
  before.ours.reset();
  return before;
}

std::optional<MinorUnits> expected_cost(const LineContext& context, std::string_view method, Currency currency,
                                        MinorUnits amount) {
  const ChannelRate* best = nullptr;
  for (const ChannelRate& rate : context.rates) {
    const bool applies = rate.channel_account_id == context.account.id && (!rate.method || *rate.method == method) &&
                         (!rate.currency || *rate.currency == currency) && rate.from_date <= context.date;
    if (applies && (best == nullptr || precedes(rate, *best))) best = &rate;
  }
  if (best == nullptr) return std::nullopt;
  return ledger::fee_for(
      {.basis_points = best->basis_points, .fixed = best->fixed, .minimum = best->minimum, .maximum = best->maximum},
      amount);
}

}  // namespace finality
