// When a statement is downloaded. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time/time.h"
#include "channel/statements.h"

namespace finality {

/// When the statement of a day should be available: the first download.
Time ready_at(const StatementPlan& plan, std::string_view date);

/// When a statement that the channel does not have yet is reported as missing.
Time late_at(const StatementPlan& plan, std::string_view date);

/// When a statement that was received at that time and is not compared yet is reported as missing: an hour after it was
/// received, so that the first statements of a new account are compared before.
Time compared_late_at(const StatementPlan& plan, std::string_view date, Time received_at);

/// The next download after one at `now` found no statement: every StatementPlan::retry_every for eight hours after
/// ready_at(), every hour until the third day, then once a day. Empty when the channel no longer provides the
/// statement.
std::optional<Time> next_download(const StatementPlan& plan, std::string_view date, Time now);

/// The first and the last day whose statements are expected at `now`: at most StatementPlan::history_days, and no day
/// before `first`. Empty if no such day has ended.
struct ExpectedDays {
  std::string first;
  std::string last;
};
std::optional<ExpectedDays> expected_days(const StatementPlan& plan, Time first, Time now);

/// The first and the last day whose uploads are overdue at `now`: at most the last 31 days, and no day before `first`.
/// Empty if no day is overdue, or if the plan expects no uploads.
std::optional<ExpectedDays> overdue_days(const StatementPlan& plan, Time first, Time now);

}  // namespace finality
