// Records evidence of a payment whose out_trade_no is not in the store. Books the money in the books of the platform
// and opens a case, in which operators decide to which merchant the money belongs (docs/adr/0039-platform-books.md).
#pragma once

#include <string>
#include <string_view>

#include "decide/context.h"
#include "model/evidence.h"
#include "model/read_set.h"
#include "model/working_set.h"

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
/// that receipt's order is archived and must be restored first. Refuses with `not_found`, too, if reserve_trade()
/// reserved the trade for an order.
Decision decide(const RecordUnknownReceipt& command, Context& context);

/// Returns the key of the trade in the books of the platform. It refers to an unknown receipt, or to the order for
/// which reserve_trade() reserved the trade, also after the order was archived.
Hash16 key_at_platform(std::string_view channel, std::string_view channel_trade_no);

/// Returns the unknown receipt to which a key_at_platform() refers; null if it refers to an order. REQUIRES: the key
/// was read with `follow` unknown_receipt.
const UnknownReceiptAggregate* find_unknown_receipt(const WorkingSet& rows, const Key& key);

/// Reserves a booked trade, whose out_trade_no names no merchant, for its order: statements find the order by the key,
/// and no unknown receipt is booked. If the trade was booked as an unknown receipt before, its money is in two books.
/// The receipt then becomes `is_contradicted`, so that it cannot be assigned, and its case gets the evidence: operators
/// cancel it. REQUIRES: Context::detail is set; add_reads_of_trade() added the reads.
void reserve_trade(Context& context, OrderId order, std::string_view channel, std::string_view channel_trade_no);
void add_reads_of_trade(std::string_view channel, std::string_view channel_trade_no, ReadSet& reads);

}  // namespace finality
