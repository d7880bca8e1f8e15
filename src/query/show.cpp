#include "query/show.h"

#include <algorithm>
#include <utility>

#include "decide/channel/outstanding.h"
#include "model/payer_link.h"
#include "query/refusals.h"
#include "query/statements.h"
#include "wire/authorization_wire.h"
#include "wire/statement_wire.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

// Returns the row. Refuses with `storage_read_error` if the read failed, and with `not_found` if the row does not exist
// or belongs to another merchant.
template <class Row>
std::expected<Row, Refusal> own(Result<std::optional<Row>> found, std::string_view what,
                                bool (*is_own)(const Row&, MerchantId), MerchantId merchant) {
  if (!found) return std::unexpected(unreadable(found.error()));
  if (!*found || !is_own(**found, merchant)) return std::unexpected(no_such(what));
  return std::move(**found);
}

template <class Row>
bool names_merchant(const Row& row, MerchantId owner) {
  return row.merchant_id == owner;
}

template <class Row>
Shown shown(const std::expected<Row, Refusal>& found, std::string (*render)(const Row&)) {
  if (!found) return std::unexpected(found.error());
  return render(*found);
}

}  // namespace

std::expected<OrderAggregate, Refusal> find_order(Reader& reader, MerchantId merchant, OrderId id) {
  auto found = own<OrderAggregate>(
      reader.order(id), "order",
      [](const OrderAggregate& row, MerchantId owner) { return row.order.merchant_id == owner; }, merchant);
  if (is_unread(found) || found) return found;
  if (std::optional<Refusal> archived = find_archived(reader, merchant, id))
    return std::unexpected(std::move(*archived));
  return found;
}

std::optional<Refusal> find_archived(Reader& reader, MerchantId merchant, OrderId id) {
  const Result<std::optional<ArchivedOrder>> archived = reader.archived_order(id);
  if (!archived) return unreadable(archived.error());
  if (!*archived || (*archived)->merchant_id != merchant) return std::nullopt;
  return gone(**archived);
}

std::expected<OrderAggregate, Refusal> find_order_of(Reader& reader, MerchantId merchant, ObjectRef child) {
  const std::string_view what =
      child.type == ObjectType::exception_case ? std::string_view("case") : name_of(child.type);
  const Result<std::optional<OrderId>> order_id = reader.order_of(child);
  if (!order_id) return std::unexpected(unreadable(order_id.error()));
  if (!*order_id) return std::unexpected(no_such(what));
  std::expected<OrderAggregate, Refusal> found = find_order(reader, merchant, **order_id);
  if (!found && found.error().code == RefusalCode::not_found) return std::unexpected(no_such(what));
  return found;
}

std::expected<Merchant, Refusal> find_merchant(Reader& reader, MerchantId id) {
  return own<Merchant>(
      reader.merchant(id), "merchant", [](const Merchant& row, MerchantId owner) { return row.id == owner; }, id);
}

std::expected<Merchant, Refusal> find_merchant_of(Reader& reader, OrderId id) {
  const Result<std::optional<MerchantId>> merchant = reader.merchant_of(id);
  if (!merchant) return std::unexpected(unreadable(merchant.error()));
  if (!*merchant) return std::unexpected(no_such("order"));
  return find_merchant(reader, **merchant);
}

std::expected<Delivery, Refusal> find_delivery(Reader& reader, MerchantId merchant, DeliveryId id) {
  return own<Delivery>(reader.delivery(id), "webhook delivery", names_merchant<Delivery>, merchant);
}

std::expected<UnknownReceipt, Refusal> find_unknown_receipt(Reader& reader, MerchantId merchant, UnknownReceiptId id) {
  return own<UnknownReceipt>(reader.unknown_receipt(id), "unknown receipt", names_merchant<UnknownReceipt>, merchant);
}

std::expected<WebhookEndpoint, Refusal> find_webhook_endpoint(Reader& reader, MerchantId merchant,
                                                              WebhookEndpointId id) {
  Result<std::vector<WebhookEndpoint>> all = reader.webhook_endpoints(merchant);
  if (!all) return std::unexpected(unreadable(all.error()));
  WebhookEndpoint* found = find_row(*all, id);
  if (found == nullptr || found->state == EndpointState::deleted) return std::unexpected(no_such("webhook endpoint"));
  return std::move(*found);
}

std::expected<Account, Refusal> find_account(Reader& reader, MerchantId merchant, AccountId id) {
  return own<Account>(reader.account(id), "account", names_merchant<Account>, merchant);
}

std::expected<Case, Refusal> find_case(Reader& reader, MerchantId merchant, CaseId id) {
  return own<Case>(reader.find_case(id), "case", names_merchant<Case>, merchant);
}

std::expected<Transfer, Refusal> find_transfer(Reader& reader, MerchantId merchant, TransferId id) {
  return own<Transfer>(reader.transfer(id), "transfer", names_merchant<Transfer>, merchant);
}

std::expected<Hold, Refusal> find_hold(Reader& reader, MerchantId merchant, HoldId id) {
  return own<Hold>(reader.hold(id), "hold", names_merchant<Hold>, merchant);
}

std::expected<Price, Refusal> find_price(Reader& reader, MerchantId merchant, PriceId id) {
  return own<Price>(reader.price(id), "price", names_merchant<Price>, merchant);
}

std::expected<Adjustment, Refusal> find_adjustment(Reader& reader, MerchantId merchant, AdjustmentId id) {
  return own<Adjustment>(reader.adjustment(id), "adjustment", names_merchant<Adjustment>, merchant);
}

std::expected<Fee, Refusal> find_fee(Reader& reader, MerchantId merchant, FeeId id) {
  Result<std::vector<Fee>> all = reader.fees(merchant);
  if (!all) return std::unexpected(unreadable(all.error()));
  Fee* found = find_row(*all, id);
  if (found == nullptr) return std::unexpected(no_such("fee"));
  return std::move(*found);
}

std::expected<ChannelRate, Refusal> find_channel_rate(Reader& reader, ChannelRateId id) {
  const auto is_own = [](const ChannelRate&, MerchantId) { return true; };  // operators only, for all merchants
  return own<ChannelRate>(reader.channel_rate(id), "channel rate", is_own, MerchantId{});
}

Shown show_order(Reader& reader, const Policy& policy, MerchantId merchant, OrderId id) {
  const auto aggregate = find_order(reader, merchant, id);
  if (!aggregate) return std::unexpected(aggregate.error());
  const auto owner = find_merchant(reader, merchant);
  if (!owner) return std::unexpected(owner.error());
  return wire::order_json(*aggregate, checkout_url(policy.public_url, *owner, id));
}

Shown show_payment(Reader& reader, MerchantId merchant, PaymentId id, bool receipts) {
  const auto aggregate = find_order_of(reader, merchant, id);
  if (!aggregate) return std::unexpected(aggregate.error());
  const Payment* payment = find_row(aggregate->payments, id);
  if (payment == nullptr) return std::unexpected(no_such("payment"));
  return wire::payment_json(*payment, *aggregate, receipts);
}

Shown show_authorization(Reader& reader, MerchantId merchant, AuthorizationId id) {
  const auto aggregate = find_order_of(reader, merchant, id);
  if (!aggregate) return std::unexpected(aggregate.error());
  const Authorization* authorization = find_row(aggregate->authorizations, id);
  if (authorization == nullptr) return std::unexpected(no_such("authorization"));
  return wire::authorization_json(*authorization, *aggregate);
}

Shown show_capture(Reader& reader, MerchantId merchant, CaptureId id) {
  const auto aggregate = find_order_of(reader, merchant, id);
  if (!aggregate) return std::unexpected(aggregate.error());
  const Capture* capture = find_row(aggregate->captures, id);
  if (capture == nullptr) return std::unexpected(no_such("capture"));
  return wire::capture_json(*capture, *aggregate);
}

Shown show_refund(Reader& reader, MerchantId merchant, ObjectRef object) {
  if (object.type != ObjectType::refund && object.type != ObjectType::reversal)
    return std::unexpected(no_such("refund"));
  const auto aggregate = find_order_of(reader, merchant, object);
  if (!aggregate) return std::unexpected(aggregate.error());
  if (const Refund* refund = find_row(aggregate->refunds, RefundId{object.value}))
    return wire::refund_json(*refund, *aggregate);
  if (const Reversal* reversal = find_row(aggregate->reversals, ReversalId{object.value}))
    return wire::reversal_json(*reversal, *aggregate);
  return std::unexpected(no_such("refund"));
}

std::expected<bool, Refusal> is_result_outstanding(Reader& reader, MerchantId merchant, ObjectRef object) {
  using T = ObjectType;
  const bool is_order = object.type == T::order;
  if (!is_order && object.type != T::payment && object.type != T::authorization && object.type != T::capture &&
      object.type != T::refund)
    return false;
  const auto aggregate =
      is_order ? find_order(reader, merchant, OrderId{object.value}) : find_order_of(reader, merchant, object);
  if (!aggregate) return std::unexpected(aggregate.error());
  const auto is_any = [&](const auto& rows) {
    return std::ranges::any_of(
        rows, [&](const auto& row) { return (is_order || ObjectRef(row.id) == object) && awaits_result(row); });
  };
  return is_any(aggregate->payments) || is_any(aggregate->authorizations) ||
         (!is_order && (is_any(aggregate->captures) || is_any(aggregate->refunds)));
}

Shown show_object(Reader& reader, const Policy& policy, Time now, MerchantId merchant, ObjectRef object) {
  switch (object.type) {  // a switch over object types, not over states
    case ObjectType::order:
      return show_order(reader, policy, merchant, OrderId{object.value});
    case ObjectType::payment:
      return show_payment(reader, merchant, PaymentId{object.value}, false);
    case ObjectType::authorization:
      return show_authorization(reader, merchant, AuthorizationId{object.value});
    case ObjectType::capture:
      return show_capture(reader, merchant, CaptureId{object.value});
    case ObjectType::refund:
      return show_refund(reader, merchant, object);
    case ObjectType::account: {
      const auto account = find_account(reader, merchant, AccountId{object.value});
      if (!account) return std::unexpected(account.error());
      return wire::account_json(*account, now);
    }
    case ObjectType::transfer:
      return shown(find_transfer(reader, merchant, TransferId{object.value}), wire::transfer_json);
    case ObjectType::hold:
      return shown(find_hold(reader, merchant, HoldId{object.value}), wire::hold_json);
    case ObjectType::price:
      return shown(find_price(reader, merchant, PriceId{object.value}), wire::price_json);
    case ObjectType::statement: {
      const auto found = find_statement(reader, StatementId{object.value});
      if (!found) return std::unexpected(found.error());
      return wire::statement_json(*found);
    }
    case ObjectType::adjustment:
      return shown(find_adjustment(reader, merchant, AdjustmentId{object.value}), wire::adjustment_json);
    case ObjectType::fee:
      return shown(find_fee(reader, merchant, FeeId{object.value}), wire::fee_json);
    case ObjectType::delivery:
      return shown(find_delivery(reader, merchant, DeliveryId{object.value}), wire::delivery_json);
    case ObjectType::webhook_endpoint: {
      const auto endpoint = find_webhook_endpoint(reader, merchant, WebhookEndpointId{object.value});
      if (!endpoint) return std::unexpected(endpoint.error());
      return wire::webhook_endpoint_json(*endpoint, true);
    }
    default:
      return std::unexpected(no_such("object"));
  }
}

}  // namespace finality::query
