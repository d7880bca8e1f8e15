// A payment by its id alone.
#pragma once

#include "model/working_set.h"

namespace finality {

/// Both or neither. They last as long as nothing is loaded or changed.
struct FoundPayment {
  const OrderAggregate* aggregate = nullptr;
  const Payment* payment = nullptr;
};

/// Finds nothing, too, where the order is remembered from before it had this payment (ADR 0018): what is decided then
/// is not committed, but decided again. REQUIRES: the payment was among the reads.
inline FoundPayment find_payment(const WorkingSet& rows, PaymentId id) {
  const OrderId* order = rows.order_of_payment.find(id);
  const OrderAggregate* aggregate = order != nullptr ? rows.orders.find(*order) : nullptr;
  const Payment* payment = aggregate != nullptr ? find_row(aggregate->payments, id) : nullptr;
  return payment != nullptr ? FoundPayment{aggregate, payment} : FoundPayment{};
}

}  // namespace finality
