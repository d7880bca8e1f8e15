// Charges the fee of a payment with its receipt, and returns it with refunds when the fee is refundable.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Charges the merchant's fee for the channel and stores it on the payment. REQUIRES: the accounts of
/// EntryType::fee_charged were declared.
void charge_fee(OrderWriter& writer, Payment& payment);

/// Returns the refund's share of the fee. REQUIRES: the refund has succeeded; the accounts of EntryType::fee_returned
/// were declared.
void return_fee(OrderWriter& writer, Refund& refund);

/// The part of the returned fee that has to be charged again after a return has reduced the refunded amount.
MinorUnits fee_to_charge_again(const OrderAggregate& aggregate, const Refund& refund);

}  // namespace finality
