#include "decide/classify.h"

#include <algorithm>

namespace finality {
namespace {

PaymentEvent classify_paid(const Classified& in) {
  if (in.receipt_known) return PaymentEvent::known;
  const Payment& payment = in.payment;
  const bool matches = in.evidence.amount == payment.amount && in.evidence.currency == payment.currency;
  if (!matches) return PaymentEvent::paid_wrong;
  if (payment.state == PaymentState::failed) return PaymentEvent::paid_after_failure;
  const bool both_open = !payment_machine.is_final(payment.state) && !order_machine.is_final(in.aggregate.order.state);
  return both_open ? PaymentEvent::paid : PaymentEvent::paid_in_vain;
}

// What we ourselves have sent back, or are sending back, of this trade: a payment may have been paid by several. What
// was paid otherwise never went through the channel: it explains nothing there.
MinorUnits sent_back(const Classified& in) {
  const auto receipt = std::ranges::find_if(in.aggregate.receipts, [&](const Receipt& one) {
    return one.payment_id == in.payment.id && one.channel_trade_no == in.evidence.channel_trade_no;
  });
  if (receipt == in.aggregate.receipts.end()) return 0;
  MinorUnits sum = 0;
  for (const Refund& refund : in.aggregate.refunds)
    if (receipt->state == ReceiptState::accepted && refund.payment_id == in.payment.id &&
        refund.state != RefundState::failed)
      sum += refund.amount;
  for (const Reversal& reversal : in.aggregate.reversals)
    if (reversal.receipt_id == receipt->id && reversal.state != ReversalState::paid_otherwise) sum += reversal.amount;
  return sum;
}

PaymentEvent classify_refunded(const Classified& in) {
  const MinorUnits at_least = std::max<MinorUnits>(in.evidence.refunded, 1);  // how much is not always said
  const bool explained = in.receipt_known && sent_back(in) >= at_least && !in.evidence.not_ours;
  return explained ? PaymentEvent::refunded_ours : PaymentEvent::refunded_foreign;
}

PaymentEvent classify_absent(const Classified& in) {
  const Payment& payment = in.payment;
  // A query may overtake the request it asks about: before the send deadline "no such trade" says nothing.
  if (payment.send_deadline && in.evidence.asked_at <= *payment.send_deadline &&
      payment.state == PaymentState::processing)
    return PaymentEvent::unknown;
  if (payment.close_asked || in.aggregate.order.close_requested) return PaymentEvent::absent_while_closing;
  return in.trade_made_by_payer ? PaymentEvent::waiting : PaymentEvent::absent;
}

}  // namespace

PaymentEvent classify(const Classified& in) {
  if (in.evidence.kind == EvidenceKind::paid) return classify_paid(in);
  // That money moved never becomes untrue; any other word does when a later one has ended the payment.
  if (in.evidence.kind == EvidenceKind::refunded) return classify_refunded(in);
  const auto& final_at = in.payment.final_evidence_at;
  const bool stale = final_at && in.evidence.asked_at < *final_at;
  if (stale) return PaymentEvent::known;
  switch (in.evidence.kind) {  // of what was said, not of a state
    case EvidenceKind::absent:
      return classify_absent(in);
    case EvidenceKind::waiting:
      return PaymentEvent::waiting;
    case EvidenceKind::failed:
      return PaymentEvent::failed;
    case EvidenceKind::closed:
      return PaymentEvent::closed;
    case EvidenceKind::paid:
    case EvidenceKind::refunded:
    case EvidenceKind::unknown:
      break;
  }
  return PaymentEvent::unknown;
}

}  // namespace finality
