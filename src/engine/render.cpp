#include "engine/render.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "decide/resolve_case.h"
#include "wire/link.h"
#include "wire/wire.h"

namespace finality {
namespace {

namespace json = boost::json;

std::string order_text(const WorkingSet& rows, OrderId id, const Policy& policy) {
  const OrderAggregate* aggregate = rows.orders.find(id);
  FINALITY_CHECK(aggregate != nullptr, "an order to show that is not there");
  const Merchant* merchant = rows.merchants.find(aggregate->order.merchant_id);
  FINALITY_CHECK(merchant != nullptr, "an order without its merchant");
  return wire::order_json(*aggregate, wire::checkout_url(policy.public_url, *merchant, id));
}

template <class Row>
const Row& row_of(const WorkingSet& rows, OrderId home, std::vector<Row> OrderAggregate::* list, decltype(Row::id) id) {
  const OrderAggregate* aggregate = rows.orders.find(home);
  const Row* row = aggregate != nullptr ? find_row(aggregate->*list, id) : nullptr;
  FINALITY_CHECK(row != nullptr, "a row to show that is not there");
  return *row;
}

std::string deleted_text(ObjectRef object, std::string_view name) {
  return json::serialize(json::object{{"id", to_text(object)}, {"object", name}, {"deleted", true}});
}

std::string endpoint_text(const WorkingSet& rows, WebhookEndpointId id, MerchantId merchant) {
  const auto* endpoints = rows.endpoints.find(merchant);
  const WebhookEndpoint* endpoint = endpoints != nullptr ? find_row(*endpoints, id) : nullptr;
  FINALITY_CHECK(endpoint != nullptr, "a webhook endpoint to show that is not there");
  return endpoint->state == EndpointState::deleted ? deleted_text(id, "webhook_endpoint")
                                                   : wire::webhook_endpoint_json(*endpoint, true);
}

std::string delivery_text(const WorkingSet& rows, DeliveryId id) {
  const DeliveryAggregate* aggregate = rows.deliveries.find(id);
  return aggregate != nullptr ? wire::delivery_json(aggregate->delivery) : "{}";
}

// A case is in the aggregate of an order, or of a delivery.
std::string case_text(const WorkingSet& rows, CaseId id, OrderId home) {
  const Case* found = home ? &row_of(rows, home, &OrderAggregate::cases, id) : nullptr;
  rows.deliveries.each([&](const DeliveryId&, const auto&, const auto& now) {
    if (now && found == nullptr) found = find_row(now->cases, id);
  });
  FINALITY_CHECK(found != nullptr, "a case to show that is not there");
  return wire::case_json(*found, resolutions_of(*found));
}

template <class Map, class AnId>
const auto& existing(const Map& map, AnId id) {
  const auto* row = map.find(id);
  FINALITY_CHECK(row != nullptr, "a row to show that is not there");
  return *row;
}

std::string merchant_text(const WorkingSet& rows, MerchantId id) {
  return wire::merchant_json(existing(rows.merchants, id), true);
}

std::string api_key_text(const WorkingSet& rows, ApiKeyId id) {
  const ApiKey& key = existing(rows.api_keys, id);
  return key.revoked_at ? deleted_text(id, "api_key") : wire::api_key_json(key);
}

std::string account_text(const WorkingSet& rows, AccountId id, Shown shown, Time now) {
  const Account& account = existing(rows.accounts, id);
  return shown == Shown::lock ? wire::account_lock_json(account) : wire::account_json(account, now);
}

std::string fee_text(const WorkingSet& rows, FeeId id, MerchantId merchant) {
  const Fee* fee = find_row(existing(rows.fees, merchant), id);
  FINALITY_CHECK(fee != nullptr, "a fee to show that is not there");
  return wire::fee_json(*fee);
}

}  // namespace

std::string render(const WorkingSet& rows, const Done& done, MerchantId merchant, const Showing& showing) {
  const ObjectRef object = done.object;
  switch (object.type) {  // of a kind of object, not of a state
    case ObjectType::order:
      return order_text(rows, OrderId{object.value}, showing.policy);
    case ObjectType::payment:
      return wire::payment_json(row_of(rows, done.home, &OrderAggregate::payments, PaymentId{object.value}));
    case ObjectType::refund:
      return wire::refund_json(row_of(rows, done.home, &OrderAggregate::refunds, RefundId{object.value}));
    case ObjectType::dispute_case:
      return case_text(rows, CaseId{object.value}, done.home);
    case ObjectType::webhook_endpoint:
      return endpoint_text(rows, WebhookEndpointId{object.value}, merchant);
    case ObjectType::delivery:
      return delivery_text(rows, DeliveryId{object.value});
    case ObjectType::merchant:
      return merchant_text(rows, MerchantId{object.value});
    case ObjectType::api_key:
      return api_key_text(rows, ApiKeyId{object.value});
    case ObjectType::account:
      return account_text(rows, AccountId{object.value}, done.shown, showing.now);
    case ObjectType::transfer:
      return wire::transfer_json(existing(rows.transfers, TransferId{object.value}));
    case ObjectType::hold:
      return wire::hold_json(existing(rows.holds, HoldId{object.value}));
    case ObjectType::price:
      return wire::price_json(existing(rows.prices, PriceId{object.value}));
    case ObjectType::fee:
      return fee_text(rows, FeeId{object.value}, merchant);
    default:
      return "{}";
  }
}

}  // namespace finality
