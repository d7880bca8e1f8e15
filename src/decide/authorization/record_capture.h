// Records evidence about a capture: the reply to a request, a notification about its trade, the result of a query, or a
// line of a statement. Books receipts, external refunds and settlements as RecordEvidence does for payments.
#pragma once

#include <string>
#include <utility>

#include "decide/context.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordCapture {
  MerchantId merchant_id;
  OrderId order_id;          // contained in out_trade_no (parse_out_capture_no)
  std::string channel;       // channel that reported the evidence; must be the authorization's channel
  std::string out_trade_no;  // of the capture
  Evidence evidence;
};

/// Returns the command that records `evidence`, the reply to `call`.
inline RecordCapture record_of(const CaptureCall& call, Evidence evidence) {
  return {call.capture.merchant_id, call.capture.order_id, call.authorization.channel, call.capture.out_trade_no,
          std::move(evidence)};
}

void add_reads(const RecordCapture& command, ReadSet& reads);

/// Returns the capture of the order with merchant, channel and out_trade_no of the command; null if there is none. A
/// capture that was booked from a captured total has no out_trade_no: the number of its trade names it.
const Capture* find_capture(const RecordCapture& command, const OrderAggregate* aggregate);

/// Repeated evidence changes only due_at. Refuses with `not_found` (find_capture() finds no capture).
Decision decide(const RecordCapture& command, Context& context);

}  // namespace finality
