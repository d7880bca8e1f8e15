// GET /v1/events?object=
#include <algorithm>

#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr ObjectType kWithEvents[] = {ObjectType::order,    ObjectType::payment,        ObjectType::refund,
                                      ObjectType::reversal, ObjectType::exception_case, ObjectType::account,
                                      ObjectType::transfer, ObjectType::hold,           ObjectType::price,
                                      ObjectType::fee,      ObjectType::delivery,       ObjectType::webhook_endpoint};

template <class Row, class Name>
std::expected<std::int64_t, Refusal> root(const std::expected<Row, Refusal>& found, Name name) {
  if (!found) return std::unexpected(found.error());
  return name(*found);
}

// The aggregate in whose trace the object's events stand, once it is sure that it is the merchant's.
std::expected<std::int64_t, Refusal> root_of(Reader& reader, MerchantId merchant, ObjectRef object) {
  const auto order = [](const OrderAggregate& aggregate) { return aggregate.order.id.value; };
  const auto account = [](const Hold& hold) { return hold.account_id.value; };
  const auto itself = [](const auto& row) { return row.id.value; };
  switch (object.type) {  // of a kind of object, not of a state
    case ObjectType::order:
      return root(query::find_order(reader, merchant, OrderId{object.value}), order);
    case ObjectType::account:
      return root(query::find_account(reader, merchant, AccountId{object.value}), itself);
    case ObjectType::hold:
      return root(query::find_hold(reader, merchant, HoldId{object.value}), account);
    case ObjectType::transfer:
      return root(query::find_transfer(reader, merchant, TransferId{object.value}), itself);
    case ObjectType::price:
      return root(query::find_price(reader, merchant, PriceId{object.value}), itself);
    case ObjectType::fee:
      return root(query::find_fee(reader, merchant, FeeId{object.value}), itself);
    case ObjectType::delivery:
      return root(query::find_delivery(reader, merchant, DeliveryId{object.value}), itself);
    case ObjectType::webhook_endpoint:
      return root(query::find_webhook_endpoint(reader, merchant, WebhookEndpointId{object.value}), itself);
    default:
      return root(query::find_order_of(reader, merchant, object), order);
  }
}

HttpReply show_events(Reader& reader, MerchantId merchant, ObjectRef object, const Page& page) {
  const auto root = root_of(reader, merchant, object);
  if (!root) return std::unexpected(root.error());
  const Result<Listed<Event>> listed = reader.events(*root, object, page, false);
  if (!listed) return std::unexpected(query::unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Event& event : listed->rows) items.push_back(wire::event_json(event));
  return json_response(200, wire::list_json("/v1/events", listed->has_more, items));
}

bool has_events(ObjectType type) { return std::ranges::find(kWithEvents, type) != std::end(kWithEvents); }

void list_events(Api& api, const HttpExchangePtr& exchange) {
  constexpr std::string_view kRule =
      "must be the id of an order, a payment, a refund, a case, an account, a transfer, a hold, a price, a fee, a "
      "webhook delivery or a webhook endpoint";
  QueryParams query(exchange->request().query());
  const ObjectRef object = query.reference("object").value_or(ObjectRef(ObjectType::idempotency_record, 0));
  if (!has_events(object.type)) query.refuse("object", kRule);
  const Page page = query.page<EventId>();
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, object, page](Reader& reader) {
    return show_events(reader, merchant, object, page);
  });
}

}  // namespace

void add_events(Api& api) { add_route(api, "GET", "/v1/events", Access::merchant, Role::viewer, list_events); }

}  // namespace finality::http
