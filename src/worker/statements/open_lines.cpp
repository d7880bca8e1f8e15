#include "worker/statements/open_lines.h"

#include <algorithm>
#include <utility>

#include "base/time/date.h"
#include "store/each_page.h"
#include "worker/statements/line_keys.h"

namespace finality {
namespace {

constexpr int kDaysTried = 7;  // each comparison reads the files of these days again

}  // namespace

bool OpenLines::is_of_this_day(StatementId statement) const {
  return statement == task_.statement.id || std::ranges::find(task_.earlier, statement) != task_.earlier.end();
}

Result<void> OpenLines::load() {
  if (std::exchange(is_loaded_, true)) return {};
  const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                .kind = task_.statement.kind,
                                .from = add_days(task_.statement.date, -kDaysTried),
                                .difference_class = DifferenceClass::funds_line_unknown,
                                .state = DifferenceState::open};
  const auto list = [&](const Page& page) { return task_.reader.differences(filter, page); };
  return store::for_each_page(list, [this](std::span<const Difference> rows) -> Result<void> {
    for (const Difference& row : rows) {
      if (!row.line || !row.statement_id) continue;
      owners_.emplace(*row.line, row.merchant_id);
      if (!is_of_this_day(*row.statement_id)) others_.insert(*row.statement_id);
    }
    return {};
  });
}

std::optional<MerchantId> OpenLines::owner_of(const Hash16& line) const {
  const auto at = owners_.find(line);
  return at == owners_.end() ? std::nullopt : std::optional(at->second);
}

Result<void> OpenLines::read(const Take& take) {
  for (const StatementId id : others_) {
    const auto found = task_.reader.statement(id);
    if (!found) return std::unexpected(found.error());
    if (!*found || (*found)->statement.state != StatementState::matched) continue;
    LineKeys keys(task_.account.id);
    const auto take_open = [&](StatementLine&& line) -> Result<void> {
      const Hash16 key = keys.next(line);
      return owners_.contains(key) ? take(std::move(line), key) : Result<void>{};
    };
    if (auto taken = task_.read_again((*found)->statement, take_open); !taken) return taken;
    if (auto gone_on = task_.go_on(); !gone_on) return gone_on;
  }
  return {};
}

}  // namespace finality
