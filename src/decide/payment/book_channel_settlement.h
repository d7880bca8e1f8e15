// Books channel settlements: converts the receivable of a receipt, refund or reversal into the currency in which the
// channel settles it, with the amounts that the channel reported and never with its rate (design-2 §4, ADR 0041).
#pragma once

#include <optional>
#include <string_view>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Adds what the booking of `reported` reads: its natural key and the ledger accounts in both currencies. `currency`:
/// of the receipt or refund. Nothing if `reported` is empty.
void add_reads_of_settlement(MerchantId merchant, std::string_view channel, Currency currency,
                             const std::optional<ReportedSettlement>& reported, ReadSet& reads);

/// Returns the settlement of the receipt, refund or reversal; null if the channel has not reported it.
const ChannelSettlement* settlement_of(const OrderAggregate& aggregate, ObjectRef document);

/// Whether `reported` is present and not booked for the document.
bool is_settlement_new(const OrderAggregate& aggregate, std::optional<ObjectRef> document,
                       const std::optional<ReportedSettlement>& reported);

/// Books the settlement of a receipt, succeeded refund or succeeded reversal. Nothing happens if `reported` is empty or
/// already booked for the document. Opens a case `report_mismatch` about `about` and posts nothing if there is no
/// such document, if it has another settlement or was written off, if another document has the transaction number, or
/// if the currency is the document's and the amount is not. REQUIRES: Context::detail is set and
/// add_reads_of_settlement() added the reads.
void book_settlement(OrderWriter& writer, ObjectRef about, std::optional<ObjectRef> document,
                     const std::optional<ReportedSettlement>& reported);

}  // namespace finality
