// Returns: money that a channel returns after a refund had succeeded (docs/adr/0030-external-refunds.md). The refund
// stays `succeeded`; the merchant has the money again, and may refund it again.
#pragma once

#include <string>

#include "decide/order/order_writer.h"
#include "model/evidence.h"
#include "model/read_set.h"

namespace finality {

/// Whether a return with that number is booked on a refund of the receipt.
bool is_booked(const OrderAggregate& aggregate, const Receipt& receipt, const ReportedReturn& reported);

/// Adds the accounts that returns move.
void add_reads_of_returns(MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// A return, as it was reported with the number that its refund has at the channel.
struct ReturnOf {
  ReceiptId receipt_id;
  std::string out_refund_no;
  ReportedReturn reported;
};

/// Books the return, once, and notifies the merchant (`refund.returned`). It belongs to the refund of that number;
/// where the number stands for external refunds that were booked from totals, it is split among them. A return that
/// exceeds them is not booked: it is a case `conflicting_result` of `about`.
void book_return(OrderWriter& writer, ObjectRef about, const ReturnOf& it);

/// The part of the external refunds of the receipt that the platform bears, less the part that returns restored to it.
MinorUnits borne_by_platform(const OrderAggregate& aggregate, const Receipt& receipt);

/// The amount that the external refunds of the receipt took from the merchant or the platform, less their returns.
MinorUnits external_outside_suspense(const OrderAggregate& aggregate, const Receipt& receipt);

}  // namespace finality
