// Books the captures that evidence about an authorization reports: by their numbers, and by the captured total. They
// are facts, so no limit applies. A capture that we did not request is an external capture.
#pragma once

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Whether book_reported_captures() would change the order. REQUIRES: as book_reported_captures().
bool brings_captures(const Context& context, const OrderAggregate& aggregate, const Authorization& authorization,
                     const AuthorizationEvidence& evidence);

/// Books the captures that have no receipt. The excess of the captured total over all receipts is booked as one
/// external capture without a number (case `external_capture`). While a capture is open, or if the total is older than
/// the end of the last one, the excess can be that capture: then only is_total_waiting is set. REQUIRES:
/// Context::detail is set; add_reads_of_reported_captures() added the reads.
void book_reported_captures(OrderWriter& writer, AuthorizationId authorization, const AuthorizationEvidence& evidence);

/// Adds to the read set what the two functions read.
void add_reads_of_reported_captures(MerchantId merchant, std::string_view channel,
                                    const AuthorizationEvidence& evidence, ReadSet& reads);

}  // namespace finality
