#include "sim/auditors/refusal_auditor.h"

#include <algorithm>

#include "model/out_trade_no.h"
#include "sim/auditors/collected.h"

namespace finality::sim {
namespace {

constexpr const char* kRefusals = "10 final refusals";

const Receipt* receipt_of(const OrderAggregate& aggregate, const Refund& refund) {
  return refunded_receipt(aggregate, refund);
}
const Receipt* receipt_of(const OrderAggregate& aggregate, const Reversal& reversal) {
  return find_row(aggregate.receipts, reversal.receipt_id);
}

bool has_case(const OrderAggregate& aggregate, CaseKind kind, ObjectRef object) {
  return std::ranges::any_of(aggregate.cases,
                             [&](const Case& row) { return row.kind == kind && object_of(row) == object; });
}

}  // namespace

void RefusalAuditor::look_at(const WorkingSet& rows) {
  rows.orders.each([&](const OrderId&, const auto& base, const auto& now) {
    if (!now || (base && base->order.version == now->order.version)) return;
    const auto check_all = [&](const auto& children) {
      for (const auto& row : children) check(*now, row);
    };
    check_all(now->refunds);
    check_all(now->reversals);
    check_all(now->captures);
    check_all(now->cases);
  });
}

// Returns true if the channel has ever reported that result about one of the attempts of the refund or reversal.
template <class Row>
bool RefusalAuditor::has_reported(const OrderAggregate& aggregate, const Row& row, RefundEvidenceKind kind) const {
  const Receipt* receipt = receipt_of(aggregate, row);
  if (receipt == nullptr || receipt->channel == kWallet) return true;  // other auditors check these rows
  for (std::int64_t attempt = 1; attempt <= row.attempts; ++attempt) {
    const std::string number = out_refund_number(row.merchant_id, row.id.value, attempt);
    if (upstream_.has_reported(receipt->channel, number, kind)) return true;
  }
  return false;
}

// Returns true if the channel has paid out one of the attempts of the refund.
bool RefusalAuditor::is_paid_out(const Refund& row) const {
  bool is_paid = false;
  upstream_.each_refund([&](const UpstreamRefund& refund) {
    for (std::int64_t attempt = 1; attempt <= row.attempts; ++attempt)
      is_paid = is_paid || (refund.state == UpstreamRefundState::done &&
                            refund.out_refund_no == out_refund_number(row.merchant_id, row.id.value, attempt));
  });
  return is_paid;
}

// A refund also fails if an earlier attempt was paid out and that payout is booked as an external refund. An external
// refund fails if it was not made: no engine has requested it.
void RefusalAuditor::check(const OrderAggregate& aggregate, const Refund& row) {
  if (row.state != RefundState::failed || row.origin == RefundOrigin::channel) return;
  findings_.require(has_reported(aggregate, row, RefundEvidenceKind::refused) || is_paid_out(row), kRefusals,
                    "{} failed after {} attempts, but the channel never refused it permanently", to_text(row.id),
                    row.attempts);
}

void RefusalAuditor::check(const OrderAggregate& aggregate, const Reversal& row) {
  if (row.state != ReversalState::blocked) return;
  findings_.require(has_reported(aggregate, row, RefundEvidenceKind::refused), kRefusals,
                    "{} is blocked after {} attempts, but the channel never refused it permanently", to_text(row.id),
                    row.attempts);
}

// A capture also fails by a decision of operators, or with a receipt that is returned.
void RefusalAuditor::check(const OrderAggregate& aggregate, const Capture& row) {
  if (row.state != CaptureState::failed) return;
  const Authorization* authorization = find_row(aggregate.authorizations, row.authorization_id);
  if (authorization == nullptr || authorization->channel == kWallet) return;
  const bool has_receipt = std::ranges::count(aggregate.receipts, row.id, &Receipt::capture_id) > 0;
  const bool by_operators =
      has_case(aggregate, CaseKind::result_overdue, row.id) || has_case(aggregate, CaseKind::not_accepted, row.id);
  const auto is_reported = [&](EvidenceKind kind) {
    return upstream_.has_reported(authorization->channel, row.out_trade_no, kind);
  };
  findings_.require(
      has_receipt || by_operators || is_reported(EvidenceKind::failed) || is_reported(EvidenceKind::closed), kRefusals,
      "{} failed, but the channel never refused it permanently", to_text(row.id));
}

void RefusalAuditor::check(const OrderAggregate& aggregate, const Case& row) {
  if (row.kind != CaseKind::release_blocked) return;
  const Authorization* authorization = find_row(aggregate.authorizations, AuthorizationId{row.object_id});
  const bool is_reported =
      authorization == nullptr || upstream_.holds().has_reported(authorization->channel, authorization->out_trade_no,
                                                                 AuthorizationEvidenceKind::release_refused);
  findings_.require(is_reported, kRefusals, "{} was opened, but the channel never refused the release permanently",
                    to_text(row.id));
}

}  // namespace finality::sim
