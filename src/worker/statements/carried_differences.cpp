#include "worker/statements/carried_differences.h"

#include <set>
#include <span>

#include "base/time/date.h"
#include "store/each_page.h"

namespace finality {
namespace {

constexpr std::size_t kRowsPerRead = 1000;
// Complete statements without the line; then operators look at the difference.
constexpr std::int64_t kPaymentsCarried = 3;
constexpr std::int64_t kRefundsCarried = 7;

// Refunds can be listed late. Banks list within days.
std::int64_t carried_max(const Difference& row) {
  const bool is_refund = row.document_id != 0 && row.document_type != ObjectType::receipt &&
                         row.document_type != ObjectType::unknown_receipt && row.document_type != ObjectType::entry;
  return is_refund ? kRefundsCarried : kPaymentsCarried;
}

}  // namespace

Result<void> CarriedDifferences::count(DifferenceClass difference_class, const SubjectOf& subject_of) {
  if (auto settled = task_.commands.settle(); !settled) return settled;
  const DifferenceFilter filter{.channel_account_id = task_.account.id,
                                .kind = task_.statement.kind,
                                .to = add_days(task_.statement.date, -1),
                                .difference_class = difference_class,
                                .state = DifferenceState::carried};
  const auto list = [&](const Page& page) { return task_.reader.differences(filter, page); };
  const auto count_page = [&](std::span<const Difference> rows) -> Result<void> {
    for (const Difference& row : rows) {
      const auto complete = complete_since(row.date);
      if (!complete) return std::unexpected(complete.error());
      if (*complete <= row.missed) continue;  // this statement was counted by an earlier run or version
      Difference counted = row;
      counted.missed = *complete;
      const DifferenceEvent event = *complete >= carried_max(row) ? DifferenceEvent::find : DifferenceEvent::carry;
      if (auto recorded = differences_.record(std::move(counted), subject_of(row), event); !recorded) return recorded;
    }
    return task_.go_on();
  };
  const auto counted = store::for_each_page(list, count_page);
  return counted ? task_.commands.settle() : counted;
}

// Returns the number of days after `date` with a complete statement, with the day of this statement. Banks provide no
// statements to download, so their uploaded ones count.
Result<std::int64_t> CarriedDifferences::complete_since(const std::string& date) {
  if (const auto at = complete_.find(date); at != complete_.end()) return at->second;
  std::set<std::string> days{task_.statement.date};
  for (const StatementState state : {StatementState::matched, StatementState::empty}) {
    const StatementFilter filter{.channel_account_id = task_.account.id,
                                 .kind = task_.statement.kind,
                                 .from = add_days(date, 1),
                                 .to = task_.statement.date,
                                 .state = state};
    const auto found = task_.reader.statements(filter, {.limit = kRowsPerRead});
    if (!found) return std::unexpected(found.error());
    for (const Statement& row : found->rows)
      if (row.source == task_.statement.source) days.insert(row.date);
  }
  return complete_[date] = static_cast<std::int64_t>(days.size());
}

}  // namespace finality
