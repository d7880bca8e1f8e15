// Records evidence about a payment (a reply, a notification, the result of a query): applies it to the payment's
// machine and books receipts and external refunds.
#pragma once

#include "decide/context.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordEvidence {
  MerchantId merchant_id;
  PaymentId payment_id;
  std::string channel;  // the source of the evidence: must be the payment's channel
  std::string out_trade_no;
  Evidence evidence;
};

/// The command that records evidence from the call.
inline RecordEvidence record_of(const ChannelCall& call, Evidence evidence) {
  const Payment& payment = call.payment;
  return {payment.merchant_id, payment.id, payment.channel, payment.out_trade_no, std::move(evidence)};
}

void add_reads(const RecordEvidence& command, ReadSet& reads);

/// Whether the evidence is about the payment: merchant, channel and out_trade_no agree. False for null.
bool is_evidence_about(const RecordEvidence& command, const Payment* payment);

/// Repeated evidence changes only due_at. Refuses: not_found (the payment has another merchant, channel or
/// out_trade_no).
Decision decide(const RecordEvidence& command, Context& context);

}  // namespace finality
