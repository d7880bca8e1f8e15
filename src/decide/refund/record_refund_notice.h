// Records a channel's notification about a refund or reversal.
#pragma once

#include "decide/payment/record_evidence.h"
#include "decide/refund/record_refund.h"

namespace finality {

struct RecordRefundNotice {
  RecordEvidence payment;     // recorded instead if Finality did not request the refund; its currency is always set
  std::string out_refund_no;  // refund number in the notification
  RefundEvidence evidence;    // evidence about the refund or reversal
};

void add_reads(const RecordRefundNotice& command, ReadSet& reads);

/// Records the evidence, as RecordRefund does, for the refund or reversal with that `out_refund_no`. Refund numbers of
/// replaced attempts are accepted. If Finality did not send that refund number with that amount, records evidence about
/// the payment, as RecordEvidence does. Refuses with `not_found` (the payment has another merchant, channel or
/// out_trade_no; or the refund is unknown and the notification reports no refund of the payment).
Decision decide(const RecordRefundNotice& command, Context& context);

}  // namespace finality
