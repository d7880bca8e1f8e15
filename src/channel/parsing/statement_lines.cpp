#include "channel/parsing/statement_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"

namespace finality {
namespace {

constexpr Duration kDayCutTolerance = std::chrono::hours(1);

}  // namespace

Result<DaySpan> check_call(const StatementPlan& plan, const StatementCall& call) {
  const auto day = parse_day(call.date, plan.utc_offset);
  if (!day) return fail("the date of a statement must be a calendar day, YYYY-MM-DD");
  if (!plan.can_upload(call.kind))
    return fail(fmt::format("the channel has no statements of the kind {}", name_of(call.kind)));
  const bool has_accounts = call.kind == StatementKind::funds && !plan.funds_accounts.empty();
  const bool is_known = has_accounts
                            ? std::ranges::find(plan.funds_accounts, call.funds_account) != plan.funds_accounts.end()
                            : call.funds_account.empty();
  if (!is_known) return fail(fmt::format("the channel has no statement of the account `{}`", call.funds_account));
  return *day;
}

Result<void> LineCollector::add(StatementLine&& line) {
  const std::int64_t line_no = line.line_no;
  if (++lines_ > static_cast<std::int64_t>(limits::kStatementLinesMax))
    return fail(fmt::format("line {}: the statement has more than {} lines", line_no, limits::kStatementLinesMax));
  if (!add_line(sums_, line)) return fail(fmt::format("line {}: the sum of the amounts is too large", line_no));
  is_stopped_ = !sink_(std::move(line));
  if (is_stopped_) return fail("the caller has stopped the parser");
  return {};
}

StatementSums* LineCollector::sums_of(Currency currency) {
  const auto at = std::ranges::find(sums_, currency, &StatementSums::currency);
  return at == sums_.end() ? nullptr : &*at;
}

StatementSums& LineCollector::sums_for(Currency currency) {
  if (StatementSums* sums = sums_of(currency)) return *sums;
  sums_.push_back({.currency = currency});
  return sums_.back();
}

Result<std::vector<StatementSums>> sums_or_error(const LineCollector& lines, const Result<void>& outcome) {
  if (!outcome && !lines.is_stopped()) return std::unexpected(outcome.error());
  return lines.sums();
}

void BalanceSpan::add(const StatementLine& line) {
  if (!line.balance) return;
  last_ = Step{line.at, *line.balance - line.amount, *line.balance};
  if (!first_) first_ = last_;
}

void BalanceSpan::set(StatementSums& sums) const {
  if (!first_) return;
  const bool is_descending = first_->at > last_->at;
  sums.opening_balance = is_descending ? last_->before : first_->before;
  sums.closing_balance = is_descending ? first_->after : last_->after;
}

bool can_contain(const DaySpan& day, Time at) {
  return at >= day.begin - kDayCutTolerance && at < day.end + kDayCutTolerance;
}

}  // namespace finality
