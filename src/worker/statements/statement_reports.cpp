#include "worker/statements/statement_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/time/date.h"
#include "decide/statement/record_difference.h"
#include "model/natural_key.h"

namespace finality {
namespace {

constexpr int kDaysBackMax = 31;  // days without a movement between two statements whose balances are compared

// A difference about the whole statement, without its class.
Difference difference_of(const Statement& statement) {
  Difference row;
  row.merchant_id = kPlatform;
  row.channel_account_id = statement.channel_account_id;
  row.kind = statement.kind;
  row.date = statement.date;
  if (statement.id) row.statement_id = statement.id;
  return row;
}

// Returns the newest version of the last compared statement before the day; empty without one, or if a statement
// between them is outstanding.
Result<std::optional<StatementAggregate>> last_before(Reader& reader, const Statement& statement) {
  for (int days = 1; days <= kDaysBackMax; ++days) {
    const auto found = reader.newest_statement(statement.channel_account_id, statement.kind, statement.funds_account,
                                               add_days(statement.date, -days), statement.source);
    if (!found) return std::unexpected(found.error());
    if (!*found || ((*found)->state != StatementState::matched && (*found)->state != StatementState::empty))
      return std::nullopt;
    if ((*found)->state == StatementState::matched) return reader.statement((*found)->id);
  }
  return std::nullopt;
}

}  // namespace

Result<void> StatementReports::report_missing(const Statement& statement, DifferenceEvent event) {
  Difference row = difference_of(statement);
  row.difference_class = DifferenceClass::statement_missing;
  row.subject = fmt::format("{} {} {}", name_of(statement.kind), statement.funds_account, statement.date);
  std::string subject = "statement " + row.subject;
  return record(std::move(row), std::move(subject), event);
}

// Records a difference about a whole statement. Only a difference that was found is repaired.
Result<void> StatementReports::record(Difference row, std::string subject, DifferenceEvent event) {
  RecordDifference command{.difference = std::move(row), .subject = std::move(subject), .event = event};
  const Difference& difference = command.difference;
  const auto known = reader_.named(key_of_difference(kPlatform, difference.channel_account_id, command.subject));
  if (!known) return std::unexpected(known.error());
  command.known = DifferenceId{*known};
  if (event == DifferenceEvent::repair) {
    if (!command.known) return {};
    command.repaired_by = *difference.statement_id;
  }
  const auto reply = commands_.require(std::move(command), kPlatform);
  return reply ? Result<void>{} : std::unexpected(reply.error());
}

Result<void> StatementReports::check_balances(const Statement& statement, std::span<const StatementSums> sums) {
  const auto earlier = last_before(reader_, statement);
  if (!earlier) return std::unexpected(earlier.error());
  if (!*earlier) return {};
  for (const StatementTotal& before : (*earlier)->totals) {
    const auto now = std::ranges::find(sums, before.currency, &StatementSums::currency);
    if (now == sums.end() || !now->opening_balance || !before.closing_balance) continue;
    Difference row = difference_of(statement);
    row.difference_class = DifferenceClass::balance_break;
    row.ours = before.closing_balance;
    row.theirs = now->opening_balance;
    row.amount = *now->opening_balance - *before.closing_balance;
    row.currency = before.currency;
    row.changes_balance = true;
    row.subject = fmt::format("{} {} {} {}", name_of(statement.kind), statement.funds_account, before.currency.text(),
                              statement.date);
    std::string subject = "balance " + row.subject;
    const auto event = row.amount == 0 ? DifferenceEvent::repair : DifferenceEvent::find;
    if (auto recorded = record(std::move(row), std::move(subject), event); !recorded) return recorded;
  }
  return {};
}

}  // namespace finality
