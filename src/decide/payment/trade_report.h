// What evidence of kind `paid` reports about a trade that has a receipt: refunds that the channel made, settlements,
// and contradictions of the receipt. For all functions, `collector` is the collector of the trade, and evidence about a
// trade without a receipt has no effect.
#pragma once

#include "decide/order/order_writer.h"
#include "model/evidence.h"

namespace finality {

/// Whether the evidence reports external refunds of the trade that are not booked.
bool brings_external_refund(const OrderAggregate& aggregate, ObjectRef collector, const Evidence& evidence);

/// Whether the receipt of the trade has another amount or currency than the evidence reports.
bool contradicts_receipt(const OrderAggregate& aggregate, ObjectRef collector, const Evidence& evidence);

/// Adds to the read set what book_reported_refunds() and book_reported_settlements() need for the evidence. Evidence
/// without refunds, the usual case, needs no accounts of refunds.
void add_reads_of_reports(MerchantId merchant, std::string_view channel, const Evidence& evidence, ReadSet& reads);

/// Books the external refunds and the return that the evidence reports. REQUIRES: Context::detail is set;
/// add_reads_of_reports() added the reads.
void book_reported_refunds(OrderWriter& writer, ObjectRef collector, const Evidence& evidence);

/// Books the settlements of the trade and of the external refund that the evidence reports. REQUIRES: as
/// book_settlement().
void book_reported_settlements(OrderWriter& writer, ObjectRef collector, const Evidence& evidence);

}  // namespace finality
