// Reads objects from the store and renders them as JSON objects of the API. All functions block while they read.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "model/policy.h"
#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

/// JSON text, or the refusal `not_found` (the object does not exist or belongs to another merchant), `archived` (the
/// order of the object was archived) or `storage_read_error` (the store could not be read).
using Shown = std::expected<std::string, Refusal>;

/// Returns whether a find_…() function refused with a code other than `not_found`. The caller must then return the
/// refusal and must not treat the object as missing.
template <class T>
bool is_unread(const std::expected<T, Refusal>& found) {
  return !found && found.error().code != RefusalCode::not_found;
}

/// Returns the order and its children. Refuses like Shown, as all find_…() functions do.
std::expected<OrderAggregate, Refusal> find_order(Reader& reader, MerchantId merchant, OrderId id);
/// Returns the refusal `archived` if the order was archived, or `storage_read_error` if the store could not be read.
/// Returns empty if the order was not archived or belongs to another merchant.
std::optional<Refusal> find_archived(Reader& reader, MerchantId merchant, OrderId id);
/// Returns the order to which the payment, authorization, capture, refund, reversal or case belongs.
std::expected<OrderAggregate, Refusal> find_order_of(Reader& reader, MerchantId merchant, ObjectRef child);
std::expected<Case, Refusal> find_case(Reader& reader, MerchantId merchant, CaseId id);
std::expected<Merchant, Refusal> find_merchant(Reader& reader, MerchantId id);
/// Returns the merchant of the order, without reading the order's children.
std::expected<Merchant, Refusal> find_merchant_of(Reader& reader, OrderId id);
std::expected<Delivery, Refusal> find_delivery(Reader& reader, MerchantId merchant, DeliveryId id);
/// `merchant` must be the platform, which owns all unknown receipts.
std::expected<UnknownReceipt, Refusal> find_unknown_receipt(Reader& reader, MerchantId merchant, UnknownReceiptId id);
std::expected<WebhookEndpoint, Refusal> find_webhook_endpoint(Reader& reader, MerchantId merchant,
                                                              WebhookEndpointId id);

std::expected<Account, Refusal> find_account(Reader& reader, MerchantId merchant, AccountId id);
std::expected<Transfer, Refusal> find_transfer(Reader& reader, MerchantId merchant, TransferId id);
std::expected<Hold, Refusal> find_hold(Reader& reader, MerchantId merchant, HoldId id);
std::expected<Price, Refusal> find_price(Reader& reader, MerchantId merchant, PriceId id);
std::expected<Adjustment, Refusal> find_adjustment(Reader& reader, MerchantId merchant, AdjustmentId id);
std::expected<Fee, Refusal> find_fee(Reader& reader, MerchantId merchant, FeeId id);
/// Returns the channel rate with that id. Call only for operators: channel rates belong to no merchant.
std::expected<ChannelRate, Refusal> find_channel_rate(Reader& reader, ChannelRateId id);

Shown show_order(Reader& reader, const Policy& policy, MerchantId merchant, OrderId id);
/// Renders the payment; includes its receipts if `receipts` is true.
Shown show_payment(Reader& reader, MerchantId merchant, PaymentId id, bool receipts);

/// Renders the authorization with its captures.
Shown show_authorization(Reader& reader, MerchantId merchant, AuthorizationId id);
Shown show_capture(Reader& reader, MerchantId merchant, CaptureId id);

/// Renders a refund or a reversal as the API object `refund`. Refuses with `not_found` if `object` has another type.
Shown show_refund(Reader& reader, MerchantId merchant, ObjectRef object);

/// Whether the channel's result of the object is outstanding; of an order: that of one of its payments or
/// authorizations. False for other objects.
std::expected<bool, Refusal> is_result_outstanding(Reader& reader, MerchantId merchant, ObjectRef object);

/// Renders the object that a POST or PUT created or changed: an order, payment, authorization, capture, refund,
/// account, transfer, hold, price, adjustment, fee, delivery or webhook endpoint. The endpoint includes its secret. An
/// account includes its lock if it is valid at `now`.
Shown show_object(Reader& reader, const Policy& policy, Time now, MerchantId merchant, ObjectRef object);

}  // namespace finality::query
