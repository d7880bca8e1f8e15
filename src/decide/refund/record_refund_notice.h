// Records a channel's notification about a refund or reversal.
#pragma once

#include "decide/payment/record_evidence.h"
#include "decide/refund/record_refund.h"

namespace finality {

struct RecordRefundNotice {
  RecordEvidence payment;     // recorded instead when Finality did not request the refund; its currency is always set
  std::string out_refund_no;  // as the channel reports it
  RefundEvidence evidence;    // about the refund
};

void add_reads(const RecordRefundNotice& command, ReadSet& reads);

/// Records the evidence as RecordRefund does, for the refund or reversal that `out_refund_no` names. Refund numbers of
/// abandoned attempts are accepted. Records evidence about the payment, as RecordEvidence does, when the refund number
/// or the amount is not one that Finality sent. Refuses with not_found: the payment has another merchant, channel or
/// out_trade_no; or the refund is unknown and the notification proves nothing about the payment.
Decision decide(const RecordRefundNotice& command, Context& context);

}  // namespace finality
