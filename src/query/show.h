// Reads objects from the store in their current state and renders them as the API's JSON.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "model/policy.h"
#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

/// JSON, or a refusal: not_found (also for objects of other merchants), archived, storage_read_error.
using Shown = std::expected<std::string, Refusal>;

/// Whether a find_… function has failed for a reason other than not_found. The caller must then return the refusal and
/// must not treat the object as missing.
template <class T>
bool is_unread(const std::expected<T, Refusal>& found) {
  return !found && found.error().code != RefusalCode::not_found;
}

/// The order. Refuses with `archived` if it was archived, like all functions that find an order first.
std::expected<OrderAggregate, Refusal> find_order(Reader& reader, MerchantId merchant, OrderId id);
/// The refusal for an order that is not in the store: `archived`, or storage_read_error if the store could not be read.
/// Empty if the order was not archived or belongs to another merchant.
std::optional<Refusal> find_archived(Reader& reader, MerchantId merchant, OrderId id);
/// The order with the given payment, refund, reversal or case.
std::expected<OrderAggregate, Refusal> find_order_of(Reader& reader, MerchantId merchant, ObjectRef child);
std::expected<Case, Refusal> find_case(Reader& reader, MerchantId merchant, CaseId id);
std::expected<Merchant, Refusal> find_merchant(Reader& reader, MerchantId id);
std::expected<Delivery, Refusal> find_delivery(Reader& reader, MerchantId merchant, DeliveryId id);
std::expected<WebhookEndpoint, Refusal> find_webhook_endpoint(Reader& reader, MerchantId merchant,
                                                              WebhookEndpointId id);

std::expected<Account, Refusal> find_account(Reader& reader, MerchantId merchant, AccountId id);
std::expected<Transfer, Refusal> find_transfer(Reader& reader, MerchantId merchant, TransferId id);
std::expected<Hold, Refusal> find_hold(Reader& reader, MerchantId merchant, HoldId id);
std::expected<Price, Refusal> find_price(Reader& reader, MerchantId merchant, PriceId id);
std::expected<Fee, Refusal> find_fee(Reader& reader, MerchantId merchant, FeeId id);

Shown show_order(Reader& reader, const Policy& policy, MerchantId merchant, OrderId id);
/// The payment; includes its receipts if `receipts` is true.
Shown show_payment(Reader& reader, MerchantId merchant, PaymentId id, bool receipts);

/// A refund or a reversal.
Shown show_refund(Reader& reader, MerchantId merchant, ObjectRef object);

/// The object in the response of a POST or PUT: an order, a payment, a refund, an account as of `now`, a transfer, a
/// hold, a price, a fee, a delivery, or a webhook endpoint with its secret.
Shown show_object(Reader& reader, const Policy& policy, Time now, MerchantId merchant, ObjectRef object);

}  // namespace finality::query
