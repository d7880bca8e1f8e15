#include <algorithm>

#include "query/lists.h"
#include "query/refusals.h"
#include "query/statements.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

constexpr ObjectType kWithEvents[] = {ObjectType::order,           ObjectType::payment,
                                      ObjectType::authorization,   ObjectType::capture,
                                      ObjectType::refund,          ObjectType::reversal,
                                      ObjectType::exception_case,  ObjectType::account,
                                      ObjectType::transfer,        ObjectType::hold,
                                      ObjectType::price,           ObjectType::fee,
                                      ObjectType::delivery,        ObjectType::webhook_endpoint,
                                      ObjectType::unknown_receipt, ObjectType::adjustment,
                                      ObjectType::difference};

template <class Row, class Name>
std::expected<std::int64_t, Refusal> root(const std::expected<Row, Refusal>& found, Name name) {
  if (!found) return std::unexpected(found.error());
  return name(*found);
}

// Returns the id of the root whose events include those of the object. Refuses with `not_found` if the object does not
// exist or belongs to another merchant.
std::expected<std::int64_t, Refusal> root_of(Reader& reader, MerchantId merchant, ObjectRef object) {
  const auto order = [](const OrderAggregate& aggregate) { return aggregate.order.id.value; };
  const auto account = [](const Hold& hold) { return hold.account_id.value; };
  const auto itself = [](const auto& row) { return row.id.value; };
  switch (object.type) {  // a switch over object types, not over states
    case ObjectType::order:
      return root(find_order(reader, merchant, OrderId{object.value}), order);
    case ObjectType::account:
      return root(find_account(reader, merchant, AccountId{object.value}), itself);
    case ObjectType::hold:
      return root(find_hold(reader, merchant, HoldId{object.value}), account);
    case ObjectType::transfer:
      return root(find_transfer(reader, merchant, TransferId{object.value}), itself);
    case ObjectType::price:
      return root(find_price(reader, merchant, PriceId{object.value}), itself);
    case ObjectType::adjustment:
      return root(find_adjustment(reader, merchant, AdjustmentId{object.value}), itself);
    case ObjectType::fee:
      return root(find_fee(reader, merchant, FeeId{object.value}), itself);
    case ObjectType::delivery:
      return root(find_delivery(reader, merchant, DeliveryId{object.value}), itself);
    case ObjectType::webhook_endpoint:
      return root(find_webhook_endpoint(reader, merchant, WebhookEndpointId{object.value}), itself);
    case ObjectType::unknown_receipt:
      return root(find_unknown_receipt(reader, merchant, UnknownReceiptId{object.value}), itself);
    case ObjectType::difference:
      return root(find_difference(reader, merchant, DifferenceId{object.value}),
                  [](const DifferenceAggregate& found) { return found.difference.id.value; });
    case ObjectType::exception_case:
      return root(find_case(reader, merchant, CaseId{object.value}),
                  [](const Case& row) { return root_of_case(row).value; });
    default:
      return root(find_order_of(reader, merchant, object), order);
  }
}

}  // namespace

bool has_events(ObjectType type) { return std::ranges::find(kWithEvents, type) != std::end(kWithEvents); }

Shown list_events(Reader& reader, MerchantId merchant, ObjectRef object, const Page& page) {
  const auto root = root_of(reader, merchant, object);
  if (!root) return std::unexpected(root.error());
  const Result<Listed<Event>> listed = reader.events(*root, object, page, false);
  if (!listed) return std::unexpected(unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Event& event : listed->rows) items.push_back(wire::event_json(event));
  return wire::list_json("/v1/events", listed->has_more, items);
}

}  // namespace finality::query
