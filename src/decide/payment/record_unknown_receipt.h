// Records evidence of a payment whose out_trade_no is not in the store. Books the money in the books of the platform
// and opens a case, in which operators decide to which merchant the money belongs (docs/adr/0039-platform-books.md).
#pragma once

#include <string>

#include "decide/context.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

struct RecordUnknownReceipt {
  std::string channel;       // channel that reported the evidence
  std::string out_trade_no;  // as reported; need not have the format of Finality
  Evidence evidence;
};

/// Whether an unknown receipt can represent the evidence: a payment with a trade number and an amount. The evidence can
/// also report refunds or a settlement.
bool is_unknown_receipt(const Evidence& evidence);

void add_reads(const RecordUnknownReceipt& command, ReadSet& reads);

/// Evidence that repeats the receipt changes nothing. Evidence about a known receipt that contradicts it, or that
/// reports refunds or a settlement, is added to the receipt's open case, or opens another case. Except for a
/// settlement, the receipt becomes `is_contradicted`. The same applies to refunds in the first evidence. Refuses with
/// `not_found` if is_unknown_receipt() is false, and if the merchant of the out_trade_no has a receipt of the trade:
/// that receipt's order is archived and must be restored first.
Decision decide(const RecordUnknownReceipt& command, Context& context);

}  // namespace finality
