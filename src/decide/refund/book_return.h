// Books returns: money that a channel returns after a refund has succeeded (docs/adr/0030-external-refunds.md). The
// refund stays `succeeded`; the merchant is credited and can refund the amount again.
#pragma once

#include <string>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Whether a return with the number `reported.number` is already booked for a refund of the receipt's trade.
bool is_booked(const OrderAggregate& aggregate, const Receipt& receipt, const ReportedReturn& reported);

/// Adds to the read set the ledger accounts that returns are posted to.
void add_reads_of_returns(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// A return that the channel reported. `out_refund_no`: the refund whose money was returned.
struct ReturnOf {
  ReceiptId receipt_id;
  std::string out_refund_no;
  ReportedReturn reported;
};

/// Books the return once for the refund with its out_refund_no and notifies the merchant (`refund.returned`). When that
/// number belongs to external refunds booked from running totals, splits the return among these refunds. A return that
/// exceeds the refunds is not booked, and opens a case `conflicting_result` about `about`.
void book_return(OrderWriter& writer, ObjectRef about, const ReturnOf& it);

/// Returns the part of the trade's external refunds that is charged to the platform, minus the returns that are
/// credited to the platform.
MinorUnits borne_by_platform(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the part of the trade's external refunds that is charged to the merchant or the platform, minus the
/// returns of these refunds.
MinorUnits external_outside_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

}  // namespace finality
