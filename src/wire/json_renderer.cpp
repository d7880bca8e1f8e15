#include "wire/json_renderer.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "decide/exception/resolution.h"
#include "decide/payment/collector.h"
#include "model/payer_link.h"
#include "wire/audience.h"
#include "wire/authorization_wire.h"
#include "wire/detail.h"
#include "wire/statement_wire.h"
#include "wire/wire.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

std::string order_text(const WorkingSet& rows, const OrderAggregate& aggregate, const Policy& policy) {
  const Order& order = aggregate.order;
  const Merchant* merchant = rows.merchants.find(order.merchant_id);
  FINALITY_CHECK(merchant != nullptr, "the order's merchant is not loaded");
  return order_json(aggregate, checkout_url(policy.public_url, *merchant, order.id));
}

const OrderAggregate& loaded_order(const WorkingSet& rows, OrderId id) {
  const OrderAggregate* aggregate = rows.orders.find(id);
  FINALITY_CHECK(aggregate != nullptr, "the order is not loaded");
  return *aggregate;
}

std::string authorization_text(const WorkingSet& rows, const CommandResult& done) {
  const OrderAggregate& aggregate = loaded_order(rows, OrderId{done.home.value});
  const Authorization* row = find_row(aggregate.authorizations, AuthorizationId{done.object.value});
  FINALITY_CHECK(row != nullptr, "the authorization is not loaded");
  return authorization_json(*row, aggregate.captures);
}

std::string reversal_text(const WorkingSet& rows, const Reversal& reversal) {
  const OrderAggregate& aggregate = loaded_order(rows, reversal.order_id);
  return reversal_json(reversal, collector_of(aggregate, reversal).authorization_id);
}

template <class Row>
const Row& child_of(const WorkingSet& rows, const CommandResult& done) {
  const Row* row = find_child<Row>(rows, done.home, decltype(Row::id){done.object.value});
  FINALITY_CHECK(row != nullptr, "the row is not loaded");
  return *row;
}

std::string deleted_text(ObjectRef object, std::string_view name) {
  return json::serialize(json::object{{"id", to_text(object)}, {"object", name}, {"deleted", true}});
}

RenderedReply endpoint_text(const WorkingSet& rows, WebhookEndpointId id, MerchantId merchant) {
  const auto* endpoints = rows.endpoints.find(merchant);
  const WebhookEndpoint* endpoint = endpoints != nullptr ? find_row(*endpoints, id) : nullptr;
  FINALITY_CHECK(endpoint != nullptr, "the webhook endpoint is not loaded");
  if (endpoint->state == EndpointState::deleted) return {deleted_text(id, "webhook_endpoint"), {}};
  return {webhook_endpoint_json(*endpoint, true), webhook_endpoint_json(*endpoint, false)};
}

std::string delivery_text(const WorkingSet& rows, DeliveryId id) {
  const DeliveryAggregate* aggregate = rows.deliveries.find(id);
  return aggregate != nullptr ? delivery_json(aggregate->delivery) : "{}";
}

template <class Map, class AnId>
const auto& existing(const Map& map, AnId id) {
  const auto* row = map.find(id);
  FINALITY_CHECK(row != nullptr, "the row is not loaded");
  return *row;
}

// Only the reply to the creation of the merchant has its secret.
RenderedReply merchant_text(const WorkingSet& rows, MerchantId id, bool created) {
  const Merchant& merchant = existing(rows.merchants, id);
  return {merchant_json(merchant, created), merchant_json(merchant, false)};
}

std::string api_key_text(const WorkingSet& rows, ApiKeyId id) {
  const ApiKey& key = existing(rows.api_keys, id);
  return key.revoked_at ? deleted_text(id, "api_key") : api_key_json(key);
}

std::string account_text(const WorkingSet& rows, AccountId id, Shown shown, Time now) {
  const Account& account = existing(rows.accounts, id);
  return shown == Shown::lock ? account_lock_json(account) : account_json(account, now);
}

std::string fee_text(const WorkingSet& rows, FeeId id, MerchantId merchant) {
  const Fee* fee = find_row(existing(rows.fees, merchant), id);
  FINALITY_CHECK(fee != nullptr, "the fee is not loaded");
  return fee_json(*fee);
}

// Renders the reply with an object that has no secrets.
std::string reply_text(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                       const RenderOptions& options) {
  const ObjectRef object = done.object;
  switch (object.type) {  // a switch over object types, not over states
    case ObjectType::order:
      return order_text(rows, loaded_order(rows, OrderId{object.value}), options.policy);
    case ObjectType::payment:
      return payment_json(child_of<Payment>(rows, done));
    case ObjectType::authorization:
      return authorization_text(rows, done);
    case ObjectType::capture:
      return capture_json(child_of<Capture>(rows, done));
    case ObjectType::refund:
      return refund_json(child_of<Refund>(rows, done));
    case ObjectType::exception_case:
      return case_json(child_of<Case>(rows, done), difference_of_case(rows, done.home));
    case ObjectType::delivery:
      return delivery_text(rows, DeliveryId{object.value});
    case ObjectType::api_key:
      return api_key_text(rows, ApiKeyId{object.value});
    case ObjectType::account:
      return account_text(rows, AccountId{object.value}, done.shown, options.now);
    case ObjectType::transfer:
      return transfer_json(existing(rows.transfers, TransferId{object.value}));
    case ObjectType::hold:
      return hold_json(existing(rows.holds, HoldId{object.value}));
    case ObjectType::price:
      return price_json(existing(rows.prices, PriceId{object.value}));
    case ObjectType::adjustment:
      return adjustment_json(existing(rows.adjustments, AdjustmentId{object.value}));
    case ObjectType::fee:
      return fee_text(rows, FeeId{object.value}, merchant);
    case ObjectType::channel_rate:
      return channel_rate_json(existing(rows.channel_rates, ChannelRateId{object.value}));
    case ObjectType::unknown_receipt:
      return unknown_receipt_json(existing(rows.unknown_receipts, UnknownReceiptId{object.value}).unknown_receipt);
    case ObjectType::statement:
      return statement_json(existing(rows.statements, StatementId{object.value}));
    case ObjectType::difference:
      return difference_json(existing(rows.differences, DifferenceId{object.value}));
    default:
      return "{}";
  }
}

RenderedReply reply_of(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                       const RenderOptions& options) {
  const ObjectRef object = done.object;
  if (object.type == ObjectType::webhook_endpoint)
    return endpoint_text(rows, WebhookEndpointId{object.value}, merchant);
  if (object.type == ObjectType::merchant) return merchant_text(rows, MerchantId{object.value}, done.created);
  return {reply_text(rows, done, merchant, options), {}};
}

/// Visitor that renders the object which a webhook contains.
struct ObjectText {
  const WorkingSet& rows;
  const Policy& policy;

  std::string operator()(const OrderAggregate& aggregate) const { return order_text(rows, aggregate, policy); }
  std::string operator()(const AuthorizationSnapshot& snapshot) const {
    return authorization_json(snapshot.authorization, snapshot.captures);
  }
  std::string operator()(const Capture& capture) const { return capture_json(capture); }
  std::string operator()(const Refund& refund) const { return refund_json(refund); }
  std::string operator()(const Reversal& reversal) const { return reversal_text(rows, reversal); }
  std::string operator()(const Case& row) const { return case_json(row, nullptr); }
};

class JsonRenderer final : public Renderer {
 public:
  std::string detail(const Cause& cause, const Detail& detail) const override { return detail_json(cause, detail); }
  std::string with_exchange(std::string_view detail, std::string_view exchange) const override {
    return wire::with_exchange(detail, exchange);
  }
  std::string with_evidence(std::string_view evidence, std::string_view detail) const override {
    return wire::with_evidence(evidence, detail);
  }
  std::string notification(const Notice& notice, const WorkingSet& rows, const RenderOptions& options) const override {
    return shown_to(Audience::merchant, notification_json(notice.type, options.now,
                                                          std::visit(ObjectText{rows, options.policy}, notice.object)));
  }
  RenderedReply reply(const WorkingSet& rows, const CommandResult& done, MerchantId merchant,
                      const RenderOptions& options) const override {
    return reply_of(rows, done, merchant, options);
  }
  std::string problem(const Refusal& refusal, std::string_view request_id) const override {
    return problem_json(refusal, request_id);
  }
};

}  // namespace

const Renderer& json_renderer() {
  static const JsonRenderer renderer;
  return renderer;
}

}  // namespace finality::wire
