// Charges the fee of a payment with its receipt, and returns it with refunds when the fee is refundable.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Charges the merchant's fee for the channel and stores it on the payment. REQUIRES: add_reads() added the accounts of
/// EntryType::fee_charged.
void charge_fee(OrderWriter& writer, Payment& payment);

/// Returns the refund's share of the fee to the merchant. REQUIRES: the refund has succeeded; add_reads() added the
/// accounts of EntryType::fee_returned.
void return_fee(OrderWriter& writer, Refund& refund);

/// Computes the part of the returned fee (minor units) to charge again after a return has reduced the refunded amount.
MinorUnits fee_to_charge_again(const OrderAggregate& aggregate, const Refund& refund);

}  // namespace finality
