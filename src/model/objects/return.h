// Return (退票): money that a channel returns to us after a refund has succeeded, for example because the payer's card
// is closed. The refund keeps its final state. The channel's return number is unique within the refund.
#pragma once

#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

struct Return {
  ReturnId id;
  OrderId order_id;
  RefundId refund_id;
  MerchantId merchant_id;
  MinorUnits amount = 0;
  Currency currency;
  std::string channel_no;
  MinorUnits to_platform =
      0;  // part credited to the platform, which was charged for it; the rest is credited to the merchant
  MinorUnits fee_charged = 0;  // fee that the refund had returned and that is charged again
  Time created_at;
};
BOOST_DESCRIBE_STRUCT(Return, (),
                      (id, order_id, refund_id, merchant_id, amount, currency, channel_no, to_platform, fee_charged,
                       created_at))
FINALITY_ROW(Return, "returns", child, "order_id id", "refund_id merchant_id amount currency channel_no created_at",
             .about = "money that a channel returned after a refund had succeeded (退票); refers to its refund",
             .parent = "order_id", .presence = 5)

}  // namespace finality
