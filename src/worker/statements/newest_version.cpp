#include "worker/statements/newest_version.h"

namespace finality {
namespace {

constexpr std::size_t kVersionsPerRead = 100;

}  // namespace

Result<std::optional<Statement>> newest_version(Reader& reader, const StatementDay& day, StatementSource source) {
  const StatementFilter filter{
      .channel_account_id = day.channel_account_id, .kind = day.kind, .from = day.date, .to = day.date};
  Page page{.limit = kVersionsPerRead};
  while (true) {
    auto found = reader.statements(filter, page);
    if (!found) return std::unexpected(found.error());
    for (Statement& row : found->rows)
      if (row.source == source && row.funds_account == day.funds_account) return std::move(row);
    if (!found->has_more) return std::nullopt;
    page.after = found->rows.back().id.value;
  }
}

}  // namespace finality
