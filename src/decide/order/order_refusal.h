// Checks that StartPayment, StartAuthorization and CreateOrder share: the repeated request, the order's state, and the
// fields of the payment or authorization.
#pragma once

#include <expected>
#include <optional>
#include <string_view>
#include <vector>

#include "decide/context.h"
#include "decide/payment/start_payment.h"

namespace finality {

/// Returns the result of a repeated request, or its refusal `merchant_payment_no_conflict`: the row with the number of
/// the request, or the row that has paid the order from the account of the request. Empty if the request is no
/// repetition. `Row`: Payment or Authorization.
template <class Row>
std::optional<Decision> answer_repeated(const Policy& policy, OrderId order, const std::vector<Row>& rows,
                                        const PaymentFields& fields);

/// Refuses while the order accepts no further payment (`automatic`) or authorization (`manual`):
/// `capture_method_mismatch`, `payment_in_progress`, `order_not_payable` (by state, expiry, attempts, close or
/// parking).
std::expected<void, Refusal> order_refusal(const Context& context, const OrderAggregate& aggregate,
                                           CaptureMethod capture_method);

/// The order that the fields of a payment or authorization are checked against; it need not exist yet.
struct PayableOrder {
  MerchantId merchant_id;
  CaptureMethod capture_method = CaptureMethod::automatic;
  MinorUnits amount = 0;
  Currency currency{};
};

/// Refuses as check_channel(), check_authorizes() (only with manual capture), check_money() and check_wallet().
/// `prefix`: comes before the names of the request fields in refusals, `payment.` or empty.
std::expected<void, Refusal> check_fields(const Context& context, const PayableOrder& order,
                                          const PaymentFields& fields, std::string_view prefix);

/// Returns the number of payments and authorizations of the order.
std::int64_t attempts_of(const OrderAggregate& aggregate);

/// Refuses with `payment_in_progress` if the order has another number of payments and authorizations than `seen`: one
/// was started since. Empty `seen`: not checked.
std::expected<void, Refusal> check_attempts_seen(const OrderAggregate& aggregate, std::optional<std::int64_t> seen);

/// Refuses as order_refusal() and check_fields(), and with `busy`: the order was created concurrently. `looked_up`: the
/// currency with which the command declared its reads.
std::expected<void, Refusal> check_start(const Context& context, const OrderAggregate& aggregate,
                                         CaptureMethod capture_method, const PaymentFields& fields, Currency looked_up);

}  // namespace finality
