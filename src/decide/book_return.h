// Returns: money that a channel returns after a refund had succeeded (blueprint part 2, §2). The refund stays
// `succeeded`; the merchant has the money again, and may refund it again.
#pragma once

#include <string>

#include "decide/order_writer.h"
#include "model/evidence.h"
#include "model/needs.h"

namespace finality {

/// Whether the return is booked already: by the number of its refund at the channel, and its own.
bool is_booked(const OrderAggregate& aggregate, const std::string& out_refund_no, const ReportedReturn& reported);

/// Adds the accounts that returns move.
void add_needs_of_returns(MerchantId merchant, std::string_view channel, Currency currency, Needs& needs);

/// Books the return of the refund with that number, once, and notifies the merchant (`refund.returned`). What no refund
/// of that number explains is not booked: it is a case `contradiction` of `about`.
void book_return(OrderWriter& writer, ObjectRef about, const std::string& out_refund_no, const ReportedReturn& reported,
                 const std::string& evidence_json);

}  // namespace finality
