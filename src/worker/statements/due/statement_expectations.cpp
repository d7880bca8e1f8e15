#include "worker/statements/due/statement_expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time/date.h"
#include "decide/statement/expect_statement.h"
#include "worker/statements/due/statement_schedule.h"
#include "worker/statements/statement_reports.h"

namespace finality {
namespace {

constexpr std::size_t kVersionsMax = 1000;  // of the statement of a day

// Whether a usable file of the day was uploaded.
Result<bool> has_upload(Reader& reader, const Statement& day) {
  const StatementFilter filter{
      .channel_account_id = day.channel_account_id, .kind = day.kind, .from = day.date, .to = day.date};
  const auto versions = reader.statements(filter, {.limit = kVersionsMax});
  if (!versions) return std::unexpected(versions.error());
  return std::ranges::any_of(versions->rows,
                             [](const Statement& row) { return row.state != StatementState::rejected; });
}

}  // namespace

Result<void> StatementExpectations::expect(Reader& reader, const ChannelAccount& account, const StatementPlan& plan,
                                           Time now) {
  if (auto expected = expect_downloads(reader, account, plan, now); !expected) return expected;
  return report_overdue(reader, account, plan, now);
}

std::string& StatementExpectations::last_day(const ChannelAccount& account, StatementKind kind,
                                             const std::string& funds_account) {
  return last_days_[fmt::format("{} {} {}", account.channel, name_of(kind), funds_account)];
}

Result<void> StatementExpectations::expect_downloads(Reader& reader, const ChannelAccount& account,
                                                     const StatementPlan& plan, Time now) {
  const auto days = expected_days(plan, account.created_at, now);
  if (!days) return {};
  for (const StatementKind kind : plan.kinds) {
    for (const std::string& funds : plan.accounts_of(kind)) {
      std::string& last = last_day(account, kind, funds);
      for (std::string date = last.empty() ? days->first : add_days(last, 1); date <= days->last;
           date = add_days(date, 1)) {
        const auto known = reader.newest_statement(account.id, kind, funds, date, StatementSource::fetched);
        if (!known) return std::unexpected(known.error());
        if (!*known) {
          ExpectStatement command;
          command.day = {account.id, account.channel, kind, funds, date};
          command.due_at = ready_at(plan, date);
          if (auto reply = commands_.require(std::move(command), kPlatform); !reply)
            return std::unexpected(reply.error());
        }
        last = date;
      }
    }
  }
  return {};
}

Result<void> StatementExpectations::report_overdue(Reader& reader, const ChannelAccount& account,
                                                   const StatementPlan& plan, Time now) {
  const auto days = overdue_days(plan, account.created_at, now);
  if (!days) return {};
  for (const StatementKind kind : plan.uploaded_kinds) {
    std::string& last = last_day(account, kind, {});
    for (std::string date = last.empty() ? days->first : add_days(last, 1); date <= days->last;
         date = add_days(date, 1)) {
      Statement statement;
      statement.channel_account_id = account.id;
      statement.kind = kind;
      statement.date = date;
      const auto uploaded = has_upload(reader, statement);
      if (!uploaded) return std::unexpected(uploaded.error());
      if (!*uploaded)
        if (auto reported = StatementReports(reader, commands_).report_missing(statement, DifferenceEvent::find);
            !reported)
          return reported;
      last = date;
    }
  }
  return {};
}

}  // namespace finality
