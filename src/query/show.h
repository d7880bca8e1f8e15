// Objects as they are now, read from the store and rendered for the wire.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "model/policy.h"
#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

/// JSON, or why there is none: not_found (also for another merchant's), storage_read_error.
using Shown = std::expected<std::string, Refusal>;

/// Whether a find_… failed to read, rather than found nothing: then nothing may be decided on it.
template <class T>
bool is_unread(const std::expected<T, Refusal>& found) {
  return !found && found.error().code != RefusalCode::not_found;
}

/// Refuses one that is not there any more with `archived`, as everything does that begins with it.
std::expected<OrderAggregate, Refusal> find_order(Reader& reader, MerchantId merchant, OrderId id);
/// Why an order of that merchant is not there: it was archived, or nobody could tell. Empty when it was not.
std::optional<Refusal> find_archived(Reader& reader, MerchantId merchant, OrderId id);
/// The order that the payment, refund, reversal or case belongs to.
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
/// With its receipts when `receipts`.
Shown show_payment(Reader& reader, MerchantId merchant, PaymentId id, bool receipts);

/// A refund or a reversal.
Shown show_refund(Reader& reader, MerchantId merchant, ObjectRef object);

/// What a POST or a PUT answers with: an order, a payment, a refund, an account as of `now`, a transfer, a hold, a
/// price, a fee, a delivery, or a webhook endpoint with its secret.
Shown show_object(Reader& reader, const Policy& policy, Time now, MerchantId merchant, ObjectRef object);

}  // namespace finality::query
