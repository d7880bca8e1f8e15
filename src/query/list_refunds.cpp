#include <algorithm>
#include <utility>

#include "decide/payment/collector.h"
#include "decide/payment/trade.h"
#include "query/lists.h"
#include "query/short_list.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

struct Item {
  RefundId id;  // RefundId or ReversalId value; both come from one sequence
  std::string json;
};

std::string json_of(const Refund& row, const OrderAggregate& order) { return wire::refund_json(row, order); }
std::string json_of(const Reversal& row, const OrderAggregate& order) { return wire::reversal_json(row, order); }

// Whether the refund returns the trade that contains a receipt of the collector.
bool returns_trade_of(const OrderAggregate& order, const Refund& refund, ObjectRef collector) {
  const Receipt* returned = refund.receipt_id ? find_row(order.receipts, *refund.receipt_id) : nullptr;
  return returned != nullptr && std::ranges::any_of(order.receipts, [&](const Receipt& receipt) {
           return is_collected_by(receipt, collector) && is_same_trade(order, receipt, *returned);
         });
}

// Whether the refund or reversal returns what the payment, capture or authorization collected.
template <class Row>
bool returns(const OrderAggregate& order, const Row& row, ObjectRef collected) {
  if (collected.type == ObjectType::authorization)
    return collector_of(order, row).authorization_id == AuthorizationId{collected.value};
  if constexpr (std::same_as<Row, Refund>)
    if (is_of_whole_trade(row)) return returns_trade_of(order, row, collected);
  return is_collected_by(row, collected);
}

template <class Row>
void add_rows(const OrderAggregate& order, const std::optional<ObjectRef>& collected, std::vector<Item>& items) {
  for (const Row& row : children_in<Row>(order))
    if (!collected || returns(order, row, *collected)) items.push_back({RefundId{row.id.value}, json_of(row, order)});
}

}  // namespace

Shown list_refunds(Reader& reader, MerchantId merchant, const RefundFilter& filter, const Page& page) {
  const auto found =
      filter.order ? find_order(reader, merchant, *filter.order) : find_order_of(reader, merchant, *filter.collected);
  if (!found) return std::unexpected(found.error());
  std::vector<Item> items;
  if (filter.kind != RefundKind::reversal) add_rows<Refund>(*found, filter.collected, items);
  if (filter.kind != RefundKind::refund) add_rows<Reversal>(*found, filter.collected, items);
  const bool has_more = cut_to_page(items, page);
  std::vector<std::string> texts;
  for (Item& item : items) texts.push_back(std::move(item.json));
  return wire::list_json("/v1/refunds", has_more, texts);
}

}  // namespace finality::query
