// Charges the fee of an accepted receipt, and returns it with refunds of the receipt when the fee is refundable.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Charges the merchant's fee for the receipt's channel and stores it on the receipt's collector. REQUIRES: the receipt
/// was accepted in this decision; add_reads() added the accounts of EntryType::fee_charged.
void charge_fee(OrderWriter& writer, ReceiptId receipt);

/// Returns the refund's share of the fee to the merchant. REQUIRES: the refund has succeeded; add_reads() added the
/// accounts of EntryType::fee_returned.
void return_fee(OrderWriter& writer, Refund& refund);

/// Computes the part of the returned fee (minor units) to charge again after a return has reduced the refunded amount.
MinorUnits fee_to_charge_again(const OrderAggregate& aggregate, const Refund& refund);

}  // namespace finality
