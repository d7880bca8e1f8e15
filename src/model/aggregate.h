// Aggregates: what is loaded, decided on and guarded together. The root's version guards every row of its aggregate, so
// a decision such as "this order has no open payment" cannot be overtaken.
#pragma once

#include <algorithm>
#include <vector>

#include "model/case.h"
#include "model/delivery.h"
#include "model/order.h"
#include "model/payment.h"
#include "model/receipt.h"
#include "model/refund.h"
#include "model/return.h"
#include "model/reversal.h"
#include "model/webhook_endpoint.h"

namespace finality {

/// The row of that id among `rows`, or null.
template <class Rows, class AnId>
auto* find_row(Rows& rows, AnId id) {
  const auto at = std::ranges::find(rows, id, [](const auto& row) { return row.id; });
  return at == rows.end() ? nullptr : &*at;
}

struct OrderAggregate {
  Order order;
  std::vector<Payment> payments;  // by their ids, as all rows here
  std::vector<Receipt> receipts;
  std::vector<Refund> refunds;
  std::vector<Reversal> reversals;
  std::vector<Case> cases;
  std::vector<Return> returns;
};

struct DeliveryAggregate {
  Delivery delivery;
  std::vector<Case> cases;
};

}  // namespace finality
