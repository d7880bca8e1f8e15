#include "query/statements.h"

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

Shown list_differences(Reader& reader, const DifferenceFilter& filter, const Page& page) {
  return render_page("/v1/differences", reader.differences(filter, page),
                     [](const Difference& row) { return wire::difference_json(row); });
}

}  // namespace finality::query
