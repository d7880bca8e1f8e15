#include "worker/statements/due/statement_schedule.h"

#include <algorithm>

#include "base/check.h"
#include "base/time/date.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOftenFor = 8h;
constexpr Duration kHourlyFor = 72h;
constexpr std::int64_t kOverdueDaysMax = 31;
constexpr Duration kComparedIn = 1h;  // after it was received, a statement is compared, unless something is wrong

Time end_of_day(const StatementPlan& plan, std::string_view date) {
  const auto start = start_of_day(date, plan.utc_offset);
  FINALITY_CHECK(start.has_value(), "a statement has a valid day");
  return *start + 24h;
}

}  // namespace

Time ready_at(const StatementPlan& plan, std::string_view date) { return end_of_day(plan, date) + plan.ready_after; }

Time late_at(const StatementPlan& plan, std::string_view date) { return end_of_day(plan, date) + plan.late_after; }

Time compared_late_at(const StatementPlan& plan, std::string_view date, Time received_at) {
  return std::max(late_at(plan, date), received_at + kComparedIn);
}

std::optional<Time> next_download(const StatementPlan& plan, std::string_view date, Time now) {
  const Time ready = ready_at(plan, date);
  if (now < ready) return ready;
  if (now >= end_of_day(plan, date) + std::chrono::days(plan.history_days)) return std::nullopt;
  const Duration since = now - ready;
  return now + (since < kOftenFor ? plan.retry_every : since < kHourlyFor ? Duration(1h) : Duration(24h));
}

std::optional<ExpectedDays> expected_days(const StatementPlan& plan, Time first, Time now) {
  const std::string today = date_of(now, plan.utc_offset);
  ExpectedDays days{std::max(date_of(first, plan.utc_offset), add_days(today, -plan.history_days)),
                    add_days(today, -1)};
  return days.first <= days.last ? std::optional(days) : std::nullopt;
}

std::optional<ExpectedDays> overdue_days(const StatementPlan& plan, Time first, Time now) {
  if (!plan.are_uploads_expected) return std::nullopt;
  const std::string last = date_of(now - plan.late_after - 24h, plan.utc_offset);
  ExpectedDays days{std::max(date_of(first, plan.utc_offset), add_days(last, 1 - kOverdueDaysMax)), last};
  return days.first <= days.last ? std::optional(days) : std::nullopt;
}

}  // namespace finality
