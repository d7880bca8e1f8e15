// POST /v1/orders/{id}/payments: starts a further payment of an order.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"
#include "decide/order/order_writer.h"
#include "model/read_set.h"

namespace finality {

/// The fields of a new payment, also of the first payment in CreateOrder.
struct PaymentFields {
  std::string channel;  // empty: no channel accepts the payment, neither by the client's `channel` nor by a route
  /// The client's `channel` when it differs from `channel`: a kind, or a channel that the merchant cannot use.
  std::string requested_channel;
  std::string method;
  /// Selected by a route instead of the client. A repeated request may select another channel.
  bool channel_routed = false;
  bool method_routed = false;
  std::optional<std::string> merchant_payment_no;
  std::optional<std::string> scenario;
  std::string payer;                      // JSON object, or empty
  std::optional<AccountId> account_id;    // the account to debit: set exactly for wallet payments
  std::optional<std::string> lock_token;  // of that account, when it is locked
};

struct StartPayment {
  MerchantId merchant_id;
  OrderId order_id;
  PaymentFields fields;
  Currency currency{};  // of the order, for wallet and routed payments; determines the accounts to load
};

void add_reads(const StartPayment& command, ReadSet& reads);

/// Refuses with invalid_request about the field `param` when no route or channel of the kind accepts the payment, or
/// when the channel's account is disabled or serves other merchants.
std::expected<void, Refusal> check_channel(const Policy& policy, MerchantId merchant, const PaymentFields& fields,
                                           std::string_view param);

/// Refuses with invalid_request about the field `param` when the channel does not accept the currency or amount.
std::expected<void, Refusal> check_money(const Policy& policy, const PaymentFields& fields, Currency currency,
                                         MinorUnits amount, std::string_view param);

/// A repeated merchant_payment_no returns the order's payment with that merchant_payment_no, in any state. A wallet
/// payment from the account that has already paid the order returns the existing payment. Refuses: not_found,
/// merchant_payment_no_conflict, payment_in_progress, order_not_payable, invalid_request, busy; over the wallet also
/// currency_mismatch and account_locked.
Decision decide(const StartPayment& command, Context& context);

/// Adds a payment to an order that accepts a payment, claims its send and returns its id; a wallet payment is paid
/// immediately. REQUIRES: check_wallet() succeeded.
PaymentId add_payment(OrderWriter& writer, const PaymentFields& fields);

}  // namespace finality
