// Trades of an order. A channel refunds a trade as a whole. A payment or a capture is one trade, with one receipt.
// Where captures share the trade number of their authorization, all of them are one trade with one receipt for each
// capture.
#pragma once

#include <string>

#include "model/aggregate.h"

namespace finality {

/// Returns the number of the receipt's trade at the channel. The receipt of a capture that was booked from a captured
/// total has the number of the authorization: the channel reports that of the trade later.
const std::string& trade_no_of(const OrderAggregate& aggregate, const Receipt& receipt);

/// Whether both receipts are of one trade.
bool is_same_trade(const OrderAggregate& aggregate, const Receipt& one, const Receipt& other);

/// Returns the first receipt of the trade in any state. It stores what the channel reports about refunds of the trade:
/// `refund_numbers` to `refund_ended_at`.
const Receipt& first_of_trade(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the first accepted receipt of the trade, which refunds of the trade return; null without one.
const Receipt* head_of_trade(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the amount that the channel collected for the trade: the sum of its receipts in any state.
MinorUnits collected_of_trade(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the sum of the accepted receipts of the trade, which can be refunded.
MinorUnits accepted_of_trade(const OrderAggregate& aggregate, const Receipt& receipt);

/// Returns the part of `refunded`, the refunded amount of the accepted receipts of the trade, that is allocated to the
/// accepted receipt: a refund returns the first receipts first. An excess is allocated to the last receipt.
MinorUnits allocated_to(const OrderAggregate& aggregate, const Receipt& receipt, MinorUnits refunded);

}  // namespace finality
