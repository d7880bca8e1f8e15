// Books returns: money that a channel returns after a refund has succeeded (docs/adr/0030-external-refunds.md). The
// refund stays `succeeded`; the merchant is credited and can refund the amount again.
#pragma once

#include <string>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Whether a return with ReportedReturn::number is already booked for a refund of the receipt.
bool is_booked(const OrderAggregate& aggregate, const Receipt& receipt, const ReportedReturn& reported);

/// Adds the accounts that returns are posted to.
void add_reads_of_returns(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// A reported return, with the out_refund_no of the refund that the channel returned.
struct ReturnOf {
  ReceiptId receipt_id;
  std::string out_refund_no;
  ReportedReturn reported;
};

/// Books the return, once, and notifies the merchant (`refund.returned`). The return is booked for the refund with that
/// out_refund_no. When the out_refund_no covers external refunds that were booked from running totals, the return is
/// split among them. A return that exceeds them is not booked; it opens a case `conflicting_result` about `about`.
void book_return(OrderWriter& writer, ObjectRef about, const ReturnOf& it);

/// The part of the receipt's external refunds that the platform bears, minus the returns credited to it.
MinorUnits borne_by_platform(const OrderAggregate& aggregate, const Receipt& receipt);

/// The part of the receipt's external refunds that the merchant or the platform bears, minus their returns.
MinorUnits external_outside_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

}  // namespace finality
