// What a channel said of a payment (a reply, a notification, a query's answer) meets the payment's machine.
#pragma once

#include "decide/context.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordEvidence {
  MerchantId merchant_id;
  PaymentId payment_id;
  std::string channel;  // who said it: must be the payment's own
  std::string out_trade_no;
  Evidence evidence;
};

/// What an answer to the call is recorded with.
inline RecordEvidence record_of(const ChannelCall& call, Evidence evidence) {
  const Payment& payment = call.payment;
  return {payment.merchant_id, payment.id, payment.channel, payment.out_trade_no, std::move(evidence)};
}

void add_reads(const RecordEvidence& command, ReadSet& reads);

/// Refuses: not_found when the payment is not that channel's and merchant's. Repeated evidence changes nothing.
Decision decide(const RecordEvidence& command, Context& context);

}  // namespace finality
