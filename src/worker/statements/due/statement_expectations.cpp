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

/// The uploads of a day.
enum class Uploads : std::uint8_t {
  none,      // or all are rejected
  unread,    // not compared yet, so perhaps malformed
  compared,  // at least one
};

Result<Uploads> uploads_of(Reader& reader, const Statement& day) {
  const StatementFilter filter{
      .channel_account_id = day.channel_account_id, .kind = day.kind, .from = day.date, .to = day.date};
  const auto versions = reader.statements(filter, {.limit = kVersionsMax});
  if (!versions) return std::unexpected(versions.error());
  const auto has = [&](auto is) { return std::ranges::any_of(versions->rows, is, &Statement::state); };
  if (has([](StatementState state) { return state == StatementState::matched; })) return Uploads::compared;
  return has([](StatementState state) { return state != StatementState::rejected; }) ? Uploads::unread : Uploads::none;
}

// Names the remembered days of the statements of an account.
std::string name_of_days(const ChannelAccount& account, StatementKind kind, const std::string& funds_account = {}) {
  return fmt::format("{} {} {}", account.channel, name_of(kind), funds_account);
}

}  // namespace

Result<void> StatementExpectations::expect(Reader& reader, const ChannelAccount& account, const StatementPlan& plan,
                                           Time now) {
  if (auto expected = expect_downloads(reader, account, plan, now); !expected) return expected;
  return report_overdue(reader, account, plan, now);
}

Result<void> StatementExpectations::expect_downloads(Reader& reader, const ChannelAccount& account,
                                                     const StatementPlan& plan, Time now) {
  const auto days = expected_days(plan, account.created_at, now);
  if (!days) return {};
  for (const StatementKind kind : plan.kinds) {
    for (const std::string& funds : plan.accounts_of(kind)) {
      std::string& last = last_days_[name_of_days(account, kind, funds)];
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
    std::set<std::string>& unread = unread_days_[name_of_days(account, kind)];
    Statement day;
    day.channel_account_id = account.id;
    day.kind = kind;
    for (const std::string& date : std::set(unread)) {
      day.date = date;
      if (auto looked = look_for_upload(reader, day, unread); !looked) return looked;
    }
    std::string& last = last_days_[name_of_days(account, kind)];
    for (day.date = last.empty() ? days->first : add_days(last, 1); day.date <= days->last;
         day.date = add_days(day.date, 1)) {
      if (auto looked = look_for_upload(reader, day, unread); !looked) return looked;
      last = day.date;
    }
  }
  return {};
}

// Reports the overdue day if it has no usable upload, or adds it to `unread`.
Result<void> StatementExpectations::look_for_upload(Reader& reader, const Statement& day,
                                                    std::set<std::string>& unread) {
  const auto uploads = uploads_of(reader, day);
  if (!uploads) return std::unexpected(uploads.error());
  if (*uploads == Uploads::none)
    if (auto reported = StatementReports(reader, commands_).report_missing(day, DifferenceEvent::find); !reported)
      return reported;
  if (*uploads == Uploads::unread)
    unread.insert(day.date);
  else
    unread.erase(day.date);
  return {};
}

}  // namespace finality
