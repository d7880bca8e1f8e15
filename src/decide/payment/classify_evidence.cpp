#include "decide/payment/classify_evidence.h"

namespace finality {
namespace {

PaymentEvent classify_paid(const Classified& in) {
  if (in.receipt_known) return PaymentEvent::already_known;
  const Payment& payment = in.payment;
  const bool matches = in.evidence.amount == payment.amount && in.evidence.currency == payment.currency;
  if (!matches) return PaymentEvent::paid_mismatch;
  if (payment.state == PaymentState::failed) return PaymentEvent::paid_after_failure;
  const bool both_open = !payment_machine.is_final(payment.state) && !order_machine.is_final(in.aggregate.order.state);
  return both_open ? PaymentEvent::paid : PaymentEvent::paid_unexpectedly;
}

PaymentEvent classify_absent(const Classified& in) {
  const Payment& payment = in.payment;
  // Before the send deadline a "not found" is classified as unknown, because the query can overtake the request.
  if (payment.send_deadline && in.evidence.asked_at <= *payment.send_deadline &&
      payment.state == PaymentState::processing)
    return PaymentEvent::unknown;
  if (payment.close_pending || in.aggregate.order.close_requested) return PaymentEvent::not_found_while_closing;
  return in.trade_made_by_payer ? PaymentEvent::waiting : PaymentEvent::not_found;
}

}  // namespace

PaymentEvent classify(const Classified& in) {
  // Evidence of kind `paid` is never stale. Other evidence is stale when it is older than the final evidence.
  if (in.evidence.kind == EvidenceKind::paid) return classify_paid(in);
  const auto& final_at = in.payment.final_evidence_at;
  const bool stale = final_at && in.evidence.asked_at < *final_at;
  if (stale) return PaymentEvent::already_known;
  switch (in.evidence.kind) {  // not by the payment's state: the transition table handles it
    case EvidenceKind::not_found:
      return classify_absent(in);
    case EvidenceKind::waiting:
      return PaymentEvent::waiting;
    case EvidenceKind::failed:
      return PaymentEvent::failed;
    case EvidenceKind::closed:
      return PaymentEvent::closed;
    case EvidenceKind::paid:
    case EvidenceKind::unknown:
      break;
  }
  return PaymentEvent::unknown;
}

}  // namespace finality
