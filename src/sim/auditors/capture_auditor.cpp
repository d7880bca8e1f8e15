#include "sim/auditors/capture_auditor.h"

#include "sim/auditors/captured.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

constexpr const char* kRequests = "10 capture requests";

bool is_open(const Capture& row) { return !capture_machine.is_final(row.state); }

// Returns what the authorization held before the commit, with the amount that is approved after it. The commands of a
// batch can have raised the approved amount, and they can only have reduced the rest.
MinorUnits limit_of(const OrderAggregate* before, const Authorization& now) {
  const Authorization* known = before == nullptr ? nullptr : find_row(before->authorizations, now.id);
  if (known == nullptr) return now.authorized_amount;
  const MinorUnits authorized = std::max(known->authorized_amount, now.authorized_amount);
  return authorized - captured_of(*before, *known).all - known->released_amount;
}

}  // namespace

void CaptureAuditor::look_at(const WorkingSet& rows) {
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (now && (!base || base->order.version != now->order.version)) check_order(base ? &*base : nullptr, *now);
  });
}

void CaptureAuditor::check_order(const OrderAggregate* before, const OrderAggregate& now) {
  for (const Capture& row : now.captures) {
    const Capture* known = before == nullptr ? nullptr : find_row(before->captures, row.id);
    findings_.require(find_row(now.authorizations, row.authorization_id) != nullptr, "3 captures",
                      "{} has no authorization", to_text(row.id));
    if (find_row(now.authorizations, row.authorization_id) == nullptr) continue;
    check_receipts(now, row);
    check_sums(now, row);
    if (known == nullptr) check_new(before, now, row);
  }
  for (const Authorization& row : now.authorizations) check_open(now, row);
  check_refunds(now);
}

// Checks that a succeeded capture, and no other, has one accepted receipt, over its amount and that of its trade.
void CaptureAuditor::check_receipts(const OrderAggregate& aggregate, const Capture& row) {
  const std::string id = to_text(row.id);
  std::int64_t accepted = 0;
  for (const Receipt& receipt : aggregate.receipts) {
    if (receipt.capture_id != row.id) continue;
    findings_.require(receipt.payment_id == PaymentId{}, "3 captures", "{} belongs to {} and to a payment",
                      to_text(receipt.id), id);
    if (receipt.state != ReceiptState::accepted) continue;
    ++accepted;
    findings_.require(receipt.amount == row.amount && receipt.currency == row.currency, "3 captures",
                      "{} accepted {} for a capture of {}", id, receipt.amount, row.amount);
    const Trade* trade = trade_of(upstream_, aggregate, receipt);
    const bool is_checked = receipt.channel != kWallet && (trade != nullptr || !row.out_trade_no.empty());
    findings_.require(!is_checked || (trade != nullptr && trade->paid == receipt.amount), "3 captures",
                      "{} accepted {}, the channel captured {}", id, receipt.amount,
                      trade == nullptr ? 0 : trade->paid);
  }
  const std::int64_t expected = row.state == CaptureState::succeeded ? 1 : 0;
  findings_.require(accepted == expected, "3 captures", "{} is {} with {} accepted receipts, expected {}", id,
                    name_of(row.state), accepted, expected);
}

void CaptureAuditor::check_sums(const OrderAggregate& aggregate, const Capture& row) {
  const auto succeeded = [](const Refund& refund) { return refund.state == RefundState::succeeded; };
  MinorUnits paid = 0;
  MinorUnits reversed = 0;
  MinorUnits refunded = 0;
  for (const Receipt& receipt : aggregate.receipts) {
    if (receipt.capture_id != row.id || receipt.currency != row.currency) continue;
    paid += receipt.amount;
    if (receipt.state == ReceiptState::returned) reversed += receipt.amount;
    if (receipt.state == ReceiptState::accepted)
      refunded += part_of_refunds(aggregate, receipt, refunds_of_trade(aggregate, receipt, succeeded));
  }
  findings_.require(row.paid_amount == paid && row.reversed_amount == reversed, "3 sums of captures",
                    "{} shows {} as paid and {} as reversed, its receipts sum to {} and {}", to_text(row.id),
                    row.paid_amount, row.reversed_amount, paid, reversed);
  findings_.require(row.refunded_amount == refunded, "3 sums of captures",
                    "{} shows {} as refunded, its refunds sum to {}", to_text(row.id), row.refunded_amount, refunded);
}

// Checks a new capture of ours: it does not exceed what is held, and it is made before the deadline, or at it.
void CaptureAuditor::check_new(const OrderAggregate* before, const OrderAggregate& now, const Capture& row) {
  const Authorization& authorization = *find_row(now.authorizations, row.authorization_id);
  const bool is_own = row.origin != CaptureOrigin::channel;
  findings_.require(is_own == !row.merchant_capture_no.empty() || row.origin == CaptureOrigin::deadline, "3 captures",
                    "{} of the origin {} has the merchant_capture_no {}", to_text(row.id), name_of(row.origin),
                    row.merchant_capture_no);
  if (!is_own) return;
  const MinorUnits limit = limit_of(before, authorization);
  findings_.require(row.amount > 0 && row.amount <= limit, "5 new captures", "{} captures {}, but {} holds {}",
                    to_text(row.id), row.amount, to_text(authorization.id), limit);
  const Authorization* known = before == nullptr ? nullptr : find_row(before->authorizations, authorization.id);
  const bool was_ended =
      known != nullptr && known->state != AuthorizationState::authorized &&
      (known->state == AuthorizationState::releasing || authorization_machine.is_final(known->state));
  findings_.require(!was_ended, "5 new captures", "{} captures from {}, which was {}", to_text(row.id),
                    to_text(authorization.id), known == nullptr ? "" : name_of(known->state));
  check_deadline(now.order, known, authorization, row);
}

// Compares with the deadline before and after the commit: evidence of the same batch can have lowered it.
void CaptureAuditor::check_deadline(const Order& order, const Authorization* before, const Authorization& now,
                                    const Capture& row) {
  const std::optional<Time> after = now.capture_before;
  const std::optional<Time> earlier = before == nullptr || !before->capture_before ? after : before->capture_before;
  if (!after || !earlier) return;
  if (row.origin == CaptureOrigin::merchant)
    return findings_.require(row.created_at < std::max(*after, *earlier), "16 captures and their deadline",
                             "{} was created at {}, after the deadline {}", to_text(row.id), to_rfc3339(row.created_at),
                             to_rfc3339(std::max(*after, *earlier)));
  findings_.require(order.on_capture_deadline == CaptureDeadlineAction::capture, "16 deadline policies",
                    "{} captures at the deadline, expected a release", to_text(row.id));
  findings_.require(row.created_at >= std::min(*after, *earlier) && row.is_final, "16 captures and their deadline",
                    "{} captures at {}, before the deadline {}", to_text(row.id), to_rfc3339(row.created_at),
                    to_rfc3339(std::min(*after, *earlier)));
}

// Checks that at most one capture of ours is open, and only while the authorization is authorized. A capture with the
// final flag ends the authorization.
void CaptureAuditor::check_open(const OrderAggregate& aggregate, const Authorization& row) {
  std::int64_t open = 0;
  for (const Capture& capture : aggregate.captures) {
    if (capture.authorization_id != row.id) continue;
    open += is_open(capture);
    const bool has_ended = capture.is_final && capture.state == CaptureState::succeeded;
    findings_.require(!has_ended || row.state != AuthorizationState::authorized || row.end_reason, "5 final captures",
                      "{} has captured finally, but {} is authorized and does not end", to_text(capture.id),
                      to_text(row.id));
  }
  const std::int64_t limit = row.state == AuthorizationState::authorized ? 1 : 0;
  findings_.require(open <= limit, "5 open captures", "{} is {} with {} open captures, at most {}", to_text(row.id),
                    name_of(row.state), open, limit);
}

// Checks that a refund of a whole trade names the authorization of its receipt and no capture, and that it returns the
// first accepted receipt of the trade if the merchant requested it.
void CaptureAuditor::check_whole_trade(const OrderAggregate& aggregate, const Refund& refund, const Receipt* receipt) {
  const Capture* capture =
      receipt != nullptr && receipt->capture_id ? find_row(aggregate.captures, *receipt->capture_id) : nullptr;
  findings_.require(capture != nullptr && capture->authorization_id == refund.authorization_id && !refund.capture_id,
                    "5 refunded captures", "{} returns no capture of {}", to_text(refund.id),
                    to_text(*refund.authorization_id));
  if (receipt == nullptr || refund.origin == RefundOrigin::channel) return;
  const bool is_first = std::ranges::none_of(aggregate.receipts, [&](const Receipt& other) {
    return other.state == ReceiptState::accepted && other.id < receipt->id && is_one_trade(aggregate, other, *receipt);
  });
  findings_.require(is_first && receipt->state == ReceiptState::accepted, "5 refunded captures",
                    "{} returns {}, which is not the first receipt of its trade", to_text(refund.id),
                    to_text(receipt->id));
}

// Checks that a refund of a capture names the receipt and the authorization of that capture, or the authorization where
// the channel refunds the trade of all captures.
void CaptureAuditor::check_refunds(const OrderAggregate& aggregate) {
  for (const Refund& refund : aggregate.refunds) {
    const Authorization* of =
        refund.authorization_id ? find_row(aggregate.authorizations, *refund.authorization_id) : nullptr;
    const AuthorizationTerms* terms = of != nullptr ? policy_.terms_of(of->channel) : nullptr;
    const Receipt* receipt = refund.receipt_id ? find_row(aggregate.receipts, *refund.receipt_id) : nullptr;
    if (terms != nullptr && terms->refund_by == RefundBy::authorization) {
      check_whole_trade(aggregate, refund, receipt);
      continue;
    }
    findings_.require(!refund.authorization_id || refund.capture_id, "5 refunded captures", "{} names no capture",
                      to_text(refund.id));
    if (!refund.capture_id) continue;
    const Capture* capture = find_row(aggregate.captures, *refund.capture_id);
    findings_.require(receipt != nullptr && capture != nullptr && receipt->capture_id == capture->id &&
                          refund.authorization_id == capture->authorization_id,
                      "5 refunded captures",
                      "{} of {} returns another receipt or authorization than that of its capture", to_text(refund.id),
                      to_text(*refund.capture_id));
  }
}

void CaptureAuditor::look_at(const CaptureCall& call) {
  if (is_query(call)) return;
  const Capture& row = call.capture;
  const auto [number, is_first] = numbers_.try_emplace(row.id, row.out_trade_no);
  findings_.require(is_first || number->second == row.out_trade_no, kRequests,
                    "{} is sent as {}, although {} may still be executed", to_text(row.id), row.out_trade_no,
                    number->second);
  const auto [sent, is_new] = sent_.try_emplace(row.out_trade_no, std::pair(row.id, row.amount));
  findings_.require(is_new || sent->second == std::pair(row.id, row.amount), kRequests,
                    "{} over {} is sent as {}, which is {} over {}", to_text(row.id), row.amount, row.out_trade_no,
                    to_text(sent->second.first), sent->second.second);
  findings_.require(call.authorization.state == AuthorizationState::authorized, kRequests,
                    "{} is sent for {}, which is {}", to_text(row.id), to_text(call.authorization.id),
                    name_of(call.authorization.state));
}

}  // namespace finality::sim
