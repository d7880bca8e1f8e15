// Finds a payment by its id.
#pragma once

#include "model/working_set.h"

namespace finality {

/// A payment and the order that contains it; both are null when not found. Valid until rows are loaded or changed.
struct FoundPayment {
  const OrderAggregate* aggregate = nullptr;
  const Payment* payment = nullptr;
};

/// Returns the payment and its order. Both are null when the payment does not exist, or when the cached order is older
/// than the payment (ADR 0018). In the second case the commit conflicts and the command is decided again. REQUIRES: the
/// command's add_reads() added the payment.
inline FoundPayment find_payment(const WorkingSet& rows, PaymentId id) {
  const OrderId* order = rows.order_of_payment.find(id);
  const OrderAggregate* aggregate = order != nullptr ? rows.orders.find(*order) : nullptr;
  const Payment* payment = aggregate != nullptr ? find_row(aggregate->payments, id) : nullptr;
  return payment != nullptr ? FoundPayment{aggregate, payment} : FoundPayment{};
}

}  // namespace finality
