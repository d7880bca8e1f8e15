// Finds a payment by its id, or by a row that belongs to it.
#pragma once

#include "base/check.h"
#include "model/working_set.h"

namespace finality {

/// Both are set, or neither. Valid until rows are loaded or changed.
struct FoundPayment {
  const OrderAggregate* aggregate = nullptr;
  const Payment* payment = nullptr;
};

/// Empty when the payment does not exist, or when the cached order is older than the payment (ADR 0018); the commit
/// then conflicts and the command is decided again. REQUIRES: the payment was declared.
inline FoundPayment find_payment(const WorkingSet& rows, PaymentId id) {
  const OrderId* order = rows.order_of_payment.find(id);
  const OrderAggregate* aggregate = order != nullptr ? rows.orders.find(*order) : nullptr;
  const Payment* payment = aggregate != nullptr ? find_row(aggregate->payments, id) : nullptr;
  return payment != nullptr ? FoundPayment{aggregate, payment} : FoundPayment{};
}

/// The payment of a receipt, refund or reversal.
template <class Row>
const Payment& payment_of(const OrderAggregate& aggregate, const Row& row) {
  const Payment* payment = find_row(aggregate.payments, row.payment_id);
  FINALITY_CHECK(payment != nullptr, "a receipt, refund or reversal has a payment");
  return *payment;
}

}  // namespace finality
