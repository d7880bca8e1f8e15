// A payment's fee: charged with its receipt, given back with its refunds where the fee says so.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Charges what the merchant's fee for the channel says and keeps it on the payment. REQUIRES: the accounts of
/// EntryType::fee_charged were declared.
void charge_fee(OrderWriter& writer, Payment& payment);

/// Gives back the refund's share. The refund has succeeded already. REQUIRES: as charge_fee(), of fee_returned.
void return_fee(OrderWriter& writer, Refund& refund);

/// How much of the returned fee has to be charged again, once a return has lowered the refunded amount.
MinorUnits fee_to_charge_again(const OrderAggregate& aggregate, const Refund& refund);

}  // namespace finality
