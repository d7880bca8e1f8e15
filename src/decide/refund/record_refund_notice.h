// Records a channel's notification about a refund or reversal.
#pragma once

#include <string>
#include <variant>

#include "decide/authorization/record_capture.h"
#include "decide/payment/record_evidence.h"
#include "decide/refund/record_refund.h"

namespace finality {

struct RecordRefundNotice {
  /// About the refunded payment or capture. Recorded instead if Finality did not request the refund; the currency of
  /// its evidence is always set.
  std::variant<RecordEvidence, RecordCapture> trade;
  std::string out_refund_no;  // refund number in the notification
  RefundEvidence evidence;    // evidence about the refund or reversal
};

void add_reads(const RecordRefundNotice& command, ReadSet& reads);

/// Records the evidence, as RecordRefund does, for the refund or reversal with that `out_refund_no`. Refund numbers of
/// replaced attempts are accepted. If Finality did not send that refund number with that amount, records evidence about
/// the trade, as RecordEvidence or RecordCapture does. Refuses with `not_found` (the payment or capture has another
/// merchant, channel or out_trade_no; or the refund is unknown and the notification reports no refund of the trade).
Decision decide(const RecordRefundNotice& command, Context& context);

}  // namespace finality
