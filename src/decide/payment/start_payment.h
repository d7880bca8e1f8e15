// POST /v1/orders/{id}/payments: one more attempt to pay the order.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/order/order_writer.h"
#include "model/read_set.h"

namespace finality {

struct PaymentFields {
  std::string
      channel;  // empty: nothing takes the payment of what the client named, or of the routes where it named none
  /// What the client named where it is not `channel`: a kind of channels, or one that takes no payment of the merchant.
  std::string asked;
  std::string method;
  /// Chosen by a route and not by the client: asked again, another one may have been chosen.
  bool channel_routed = false;
  bool method_routed = false;
  std::optional<std::string> merchant_payment_no;
  std::optional<std::string> scenario;
  std::string payer;                      // JSON object, or empty
  std::optional<AccountId> account_id;    // whose money pays: over the wallet only, and always there
  std::optional<std::string> lock_token;  // of that account, where it is locked
};

struct StartPayment {
  MerchantId merchant_id;
  OrderId order_id;
  PaymentFields fields;
  Currency
      currency{};  // of the order, where the wallet pays; looked up before, since the accounts to load depend on it
};

void add_reads(const StartPayment& command, ReadSet& reads);

/// Why the payment cannot be made over its channel: invalid_request. It has none, since no route or nothing of the kind
/// takes it; or the channel's account is disabled, or serves other merchants, about the field `param`.
std::expected<void, Refusal> check_channel(const Policy& policy, MerchantId merchant, const PaymentFields& fields,
                                           std::string_view param);

/// Why the payment's channel does not take the order's money: invalid_request, about the field `param`.
std::expected<void, Refusal> check_money(const Policy& policy, const PaymentFields& fields, Currency currency,
                                         MinorUnits amount, std::string_view param);

/// Refuses: not_found, merchant_payment_no_conflict, payment_in_progress, order_not_payable, invalid_request; over the
/// wallet also currency_mismatch and account_locked. A merchant_payment_no that the order knows answers with that
/// payment, whatever has become of it; so does the account that has paid the order.
Decision decide(const StartPayment& command, Context& context);

/// Adds a payment to an order that may take one, claims its sending, and asks the worker to send it; over the wallet it
/// is paid at once. REQUIRES: check_wallet() was fine.
PaymentId add_payment(OrderWriter& writer, const PaymentFields& fields);

}  // namespace finality
