// POST /v1/orders/{id}/authorizations: starts an authorization of an existing order with manual capture.
#pragma once

#include "decide/context.h"
#include "decide/order/order_writer.h"
#include "decide/payment/start_payment.h"
#include "model/read_set.h"

namespace finality {

struct StartAuthorization {
  MerchantId merchant_id;
  OrderId order_id;
  PaymentFields fields;
  Currency currency{};  // currency of the order, needed for wallet and routed authorizations
  /// The number of payments and authorizations that the order had when the payer chose on the checkout page. With
  /// another number the command is refused, so that a second click starts nothing. Empty for requests of the API.
  std::optional<std::int64_t> attempts_seen{};
};

void add_reads(const StartAuthorization& command, ReadSet& reads);

/// A repeated merchant_payment_no returns the order's authorization with that number, in any state. Refuses as
/// StartPayment, and with `capture_method_mismatch` (the order has automatic capture) and `invalid_request` (the
/// channel or the method has no authorizations).
Decision decide(const StartAuthorization& command, Context& context);

/// Refuses with `invalid_request` (the channel has no authorizations, or not with that method). `param`: the request
/// field of the payment named in the refusal; its field `method` is named by the same path.
std::expected<void, Refusal> check_authorizes(const Policy& policy, const PaymentFields& fields,
                                              std::string_view param);

/// Adds an authorization to the order and returns its id. Claims the send to the channel; a wallet authorization is
/// executed immediately. REQUIRES: the order accepts an authorization, check_authorizes() and check_wallet() succeeded.
AuthorizationId add_authorization(OrderWriter& writer, const PaymentFields& fields);

}  // namespace finality
