// Records evidence about a payment: the reply to a request, a notification, or the result of a query. Applies the
// evidence to the payment's state machine and books receipts and external refunds.
#pragma once

#include "decide/context.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordEvidence {
  MerchantId merchant_id;
  PaymentId payment_id;
  std::string channel;  // channel that reported the evidence; must be the payment's channel
  std::string out_trade_no;
  Evidence evidence;
};

/// Returns the command that records `evidence`, the reply to `call`.
inline RecordEvidence record_of(const ChannelCall& call, Evidence evidence) {
  const Payment& payment = call.payment;
  return {payment.merchant_id, payment.id, payment.channel, payment.out_trade_no, std::move(evidence)};
}

void add_reads(const RecordEvidence& command, ReadSet& reads);

/// Whether merchant, channel and out_trade_no of the command are those of the payment. False for a null payment.
bool is_evidence_about(const RecordEvidence& command, const Payment* payment);

/// Repeated evidence changes only due_at. Refuses with `not_found` (no such payment, or is_evidence_about() is false).
Decision decide(const RecordEvidence& command, Context& context);

}  // namespace finality
