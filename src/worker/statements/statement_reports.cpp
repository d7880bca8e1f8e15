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

constexpr int kDaysApartMax = 31;  // days without a movement between two statements whose balances are compared

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

enum class Neighbour : std::int8_t { before = -1, after = 1 };

// Returns the newest version of the nearest compared statement before or after the day; empty without one, or if a
// statement between them is outstanding.
Result<std::optional<StatementAggregate>> nearest(Reader& reader, const Statement& statement, Neighbour side) {
  for (int days = 1; days <= kDaysApartMax; ++days) {
    const auto found =
        reader.newest_statement(statement.channel_account_id, statement.kind, statement.funds_account,
                                add_days(statement.date, days * static_cast<int>(side)), statement.source);
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
  const auto earlier = nearest(reader_, statement, Neighbour::before);
  if (!earlier) return std::unexpected(earlier.error());
  if (*earlier)
    for (const StatementTotal& before : (*earlier)->totals) {
      const auto now = std::ranges::find(sums, before.currency, &StatementSums::currency);
      if (now == sums.end()) continue;
      if (auto checked = check(statement, before.currency, before.closing_balance, now->opening_balance); !checked)
        return checked;
    }
  const auto later = nearest(reader_, statement, Neighbour::after);
  if (!later) return std::unexpected(later.error());
  if (!*later) return {};
  for (const StatementTotal& after : (*later)->totals) {
    const auto now = std::ranges::find(sums, after.currency, &StatementSums::currency);
    if (now == sums.end()) continue;
    if (auto checked = check((*later)->statement, after.currency, now->closing_balance, after.opening_balance);
        !checked)
      return checked;
  }
  return {};
}

// Records whether the opening balance of the statement continues that closing balance.
Result<void> StatementReports::check(const Statement& statement, Currency currency, std::optional<MinorUnits> closing,
                                     std::optional<MinorUnits> opening) {
  if (!closing || !opening) return {};
  Difference row = difference_of(statement);
  row.difference_class = DifferenceClass::balance_break;
  row.ours = closing;
  row.theirs = opening;
  row.amount = *opening - *closing;
  row.currency = currency;
  row.changes_balance = true;
  row.subject =
      fmt::format("{} {} {} {}", name_of(statement.kind), statement.funds_account, currency.text(), statement.date);
  std::string subject = "balance " + row.subject;
  const auto event = row.amount == 0 ? DifferenceEvent::repair : DifferenceEvent::find;
  return record(std::move(row), std::move(subject), event);
}

}  // namespace finality
