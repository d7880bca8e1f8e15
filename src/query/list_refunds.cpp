#include <utility>

#include "decide/payment/collector.h"
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

template <class Row>
void add_rows(const OrderAggregate& order, const std::optional<ObjectRef>& collector, std::vector<Item>& items) {
  for (const Row& row : children_in<Row>(order))
    if (!collector || is_collected_by(row, *collector)) items.push_back({RefundId{row.id.value}, json_of(row, order)});
}

}  // namespace

Shown list_refunds(Reader& reader, MerchantId merchant, const RefundFilter& filter, const Page& page) {
  const auto found =
      filter.order ? find_order(reader, merchant, *filter.order) : find_order_of(reader, merchant, *filter.collector);
  if (!found) return std::unexpected(found.error());
  std::vector<Item> items;
  if (filter.kind != RefundKind::reversal) add_rows<Refund>(*found, filter.collector, items);
  if (filter.kind != RefundKind::refund) add_rows<Reversal>(*found, filter.collector, items);
  const bool has_more = cut_to_page(items, page);
  std::vector<std::string> texts;
  for (Item& item : items) texts.push_back(std::move(item.json));
  return wire::list_json("/v1/refunds", has_more, texts);
}

}  // namespace finality::query
