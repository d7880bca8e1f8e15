#include "query/statements.h"

#include <map>

#include "query/refusals.h"
#include "wire/statement_wire.h"
#include "wire/wire.h"

namespace finality::query {
namespace {

template <class Row, class Render>
Shown render_page(std::string_view url, const Result<Listed<Row>>& listed, Render render) {
  if (!listed) return std::unexpected(unreadable(listed.error()));
  std::vector<std::string> items;
  for (const Row& row : listed->rows) items.push_back(render(row));
  return wire::list_json(url, listed->has_more, items);
}

// Returns the merchant_order_no of the order; empty without an order, and if it is archived.
Result<std::string> number_of(Reader& reader, std::optional<OrderId> id) {
  if (!id) return std::string();
  const auto order = reader.order(*id);
  if (!order) return std::unexpected(order.error());
  return *order ? (*order)->order.merchant_order_no : std::string();
}

}  // namespace

std::expected<StatementAggregate, Refusal> find_statement(Reader& reader, StatementId id) {
  auto found = reader.statement(id);
  if (!found) return std::unexpected(unreadable(found.error()));
  if (!*found) return std::unexpected(no_such("statement"));
  return std::move(**found);
}

Shown list_statements(Reader& reader, const StatementFilter& filter, const Page& page) {
  return render_page("/v1/statements", reader.statements(filter, page),
                     [](const Statement& row) { return wire::statement_json(row); });
}

std::expected<DifferenceAggregate, Refusal> find_difference(Reader& reader, std::optional<MerchantId> merchant,
                                                            DifferenceId id) {
  auto found = reader.difference(id);
  if (!found) return std::unexpected(unreadable(found.error()));
  if (!*found || (merchant && (*found)->difference.merchant_id != *merchant))
    return std::unexpected(no_such("difference"));
  return std::move(**found);
}

Shown show_difference(Reader& reader, std::optional<MerchantId> merchant, DifferenceId id) {
  const auto found = find_difference(reader, merchant, id);
  if (!found) return std::unexpected(found.error());
  const auto number = number_of(reader, found->difference.order_id);
  if (!number) return std::unexpected(unreadable(number.error()));
  return wire::difference_json(*found, *number);
}

Shown list_differences(Reader& reader, const DifferenceFilter& filter, const Page& page) {
  const auto listed = reader.differences(filter, page);
  if (!listed) return std::unexpected(unreadable(listed.error()));
  std::vector<std::string> items;
  std::map<OrderId, std::string> numbers;  // an order can have several differences
  for (const Difference& row : listed->rows) {
    const OrderId order = row.order_id.value_or(OrderId{});
    if (!numbers.contains(order)) {
      auto number = number_of(reader, row.order_id);
      if (!number) return std::unexpected(unreadable(number.error()));
      numbers[order] = std::move(*number);
    }
    items.push_back(wire::difference_json(row, numbers[order]));
  }
  return wire::list_json("/v1/differences", listed->has_more, items);
}

}  // namespace finality::query
