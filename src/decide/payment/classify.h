// Which event of the payment's machine evidence is: one pure function over the aggregate.
#pragma once

#include "model/aggregate.h"
#include "model/evidence.h"

namespace finality {

struct Classified {
  const OrderAggregate& aggregate;
  const Payment& payment;
  const Evidence& evidence;
  bool receipt_known = false;        // the upstream trade already has a receipt of this merchant
  bool trade_made_by_payer = false;  // capability: the trade comes into being only when the payer opens it
};

PaymentEvent classify(const Classified& input);

}  // namespace finality
