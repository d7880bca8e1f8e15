// POST /v1/orders/{id}/payments: one more attempt to pay the order.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/order_writer.h"
#include "model/needs.h"

namespace finality {

struct PaymentFields {
  std::string channel;
  std::string method;  // empty: the channel's default
  std::optional<std::string> merchant_payment_no;
  std::optional<std::string> scenario;
  std::string payer;  // JSON object, or empty
};

struct StartPayment {
  MerchantId merchant_id;
  OrderId order_id;
  PaymentFields fields;
};

void add_needs(const StartPayment& command, Needs& needs);

/// Refuses: not_found, merchant_payment_no_conflict, payment_in_progress, order_not_payable. A merchant_payment_no that
/// the order knows answers with that payment, whatever has become of it.
Decision decide(const StartPayment& command, Context& context);

/// Adds a payment to an order that may take one, claims its sending, and asks the worker to send it.
PaymentId add_payment(OrderWriter& writer, const PaymentFields& fields);

}  // namespace finality
