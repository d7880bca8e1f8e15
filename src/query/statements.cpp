#include "query/statements.h"

#include <fmt/format.h>

#include "channel/statements.h"
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

Shown list_statement_lines(Reader& reader, StatementId id, const LinePage& page, const Channels& channels,
                           const FileOfStatement& file_of) {
  const auto found = find_statement(reader, id);
  if (!found) return std::unexpected(found.error());
  const Statement& statement = found->statement;
  const Channel* channel = find_channel(channels, statement.channel);
  if (statement.parts == 0 || channel == nullptr || channel->statements() == nullptr)
    return std::unexpected(no_such("file of the statement"));
  const auto part = reader.statement_part(id, 0);
  if (!part) return std::unexpected(unreadable(part.error()));
  if (!*part)
    return std::unexpected(Refusal{RefusalCode::file_expired,
                                   "The file of the statement was deleted after its retention. Its counts, totals, "
                                   "matches and differences are kept.",
                                   {},
                                   {}});
  const auto file = file_of(statement, reader);
  if (!file) return std::unexpected(unreadable(file.error()));
  std::vector<std::string> lines;
  const StatementCall call{.kind = statement.kind, .funds_account = statement.funds_account, .date = statement.date};
  // A malformed file has been rejected; its lines up to the malformed one are shown.
  (void)channel->statements()->parse(call, *file, [&](StatementLine&& line) {
    if (line.line_no > page.after) lines.push_back(wire::statement_line_json(line));
    return lines.size() <= page.limit;
  });
  const bool has_more = lines.size() > page.limit;
  if (has_more) lines.resize(page.limit);
  return wire::list_json(fmt::format("/v1/statements/{}/lines", to_text(id)), has_more, lines);
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
