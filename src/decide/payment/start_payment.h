// POST /v1/orders/{id}/payments: starts another payment of an existing order.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/order/order_writer.h"
#include "model/read_set.h"

namespace finality {

/// The fields of a new payment or authorization, for StartPayment, StartAuthorization and the first one in CreateOrder.
struct PaymentFields {
  std::string channel;  // selected channel; empty: neither the client's `channel` nor a route selects a usable channel
  /// The request's `channel` if it differs from the selected channel: a channel kind, or an unusable channel.
  std::string requested_channel;
  std::string method;
  /// Whether a route selected the channel or method, not the client. For a repeated request, routes may select other
  /// values.
  bool channel_routed = false;
  bool method_routed = false;
  std::optional<std::string> merchant_payment_no;
  std::optional<std::string> scenario;
  std::string payer;                      // JSON object, or empty
  std::optional<AccountId> account_id;    // account to debit; set for wallet payments only
  std::optional<std::string> lock_token;  // token of the lock on that account, if locked
};

struct StartPayment {
  MerchantId merchant_id;
  OrderId order_id;
  PaymentFields fields;
  Currency currency{};  // currency of the order, needed for wallet and routed payments; determines the accounts to load
  /// The number of payments and authorizations that the order had when the payer chose on the checkout page. With
  /// another number the command is refused, so that a second click starts nothing. Empty for requests of the API.
  std::optional<std::int64_t> attempts_seen{};
};

void add_reads(const StartPayment& command, ReadSet& reads);

/// Refuses with `invalid_request` (no route or channel of the kind accepts the payment, or the channel's account is
/// disabled or serves other merchants). `param`: the request field named in the refusal.
std::expected<void, Refusal> check_channel(const Policy& policy, MerchantId merchant, const PaymentFields& fields,
                                           std::string_view param);

/// Refuses with `invalid_request` (the channel does not accept the currency or the amount). `amount`: minor units.
/// `param`: the request field named in the refusal.
std::expected<void, Refusal> check_money(const Policy& policy, const PaymentFields& fields, Currency currency,
                                         MinorUnits amount, std::string_view param);

/// A repeated merchant_payment_no returns the order's payment with that number, in any state. A wallet payment from the
/// account that has paid the order returns the existing payment. Refuses with `not_found` (no such order),
/// `merchant_payment_no_conflict` (a payment over another channel, method or account has the number),
/// `busy` (the order was created concurrently), and as order_refusal() and check_fields() (order/order_refusal.h).
Decision decide(const StartPayment& command, Context& context);

/// Adds a payment to the order and returns its id. Claims the send to the channel; a wallet payment is executed
/// immediately. REQUIRES: the order accepts a payment, and check_wallet() succeeded.
PaymentId add_payment(OrderWriter& writer, const PaymentFields& fields);

}  // namespace finality
