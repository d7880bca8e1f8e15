// Classifies channel evidence as an event of the payment's state machine. Pure function.
#pragma once

#include "model/aggregate.h"
#include "model/evidence.h"

namespace finality {

/// Input of classify(): the evidence, its payment, and the facts that determine the event.
struct Classified {
  const OrderAggregate& aggregate;
  const Payment& payment;
  const Evidence& evidence;
  bool receipt_known = false;        // the merchant already has a receipt of the trade
  bool trade_made_by_payer = false;  // Capabilities::made_by_payer: the trade is created only when the payer opens it
};

/// Returns the event of the payment's state machine that the evidence causes.
PaymentEvent classify(const Classified& input);

}  // namespace finality
