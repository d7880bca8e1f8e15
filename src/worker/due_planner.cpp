#include "worker/due_planner.h"

#include "base/check.h"

namespace finality {
namespace {

Command claim_of(const DueRow& due) {
  switch (due.row.type) {
    case ObjectType::order:
      return ExpireOrder{due.merchant_id, OrderId{due.row.value}, due.due_at};
    case ObjectType::payment:
    case ObjectType::authorization:
    case ObjectType::capture:
    case ObjectType::refund:
    case ObjectType::reversal:
      return ClaimRequest{due.merchant_id, due.order_id, due.row, due.due_at};
    case ObjectType::hold:
      return ExpireHold{due.merchant_id, HoldId{due.row.value}};
    default:
      FINALITY_CHECK(due.row.type == ObjectType::delivery, "a row type without due rows");
      return ClaimDelivery{due.merchant_id, DeliveryId{due.row.value}, due.due_at};
  }
}

}  // namespace

Request plan_claim(const DueRow& due) {
  return {.command = claim_of(due),
          .merchant_id = due.merchant_id,
          .cause = {.kind = CauseKind::timer, .trigger = DueSince{due.due_at}}};
}

}  // namespace finality
