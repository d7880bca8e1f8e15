#include "worker/statements/statement_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/time/date.h"
#include "decide/statement/record_difference.h"
#include "model/natural_key.h"
#include "worker/statements/difference_recorder.h"

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

/// A balance that a statement states: the closing balance of an earlier one, the opening balance of a later one.
struct Stated {
  Statement statement;
  MinorUnits balance = 0;
};
using StatedBalances = std::map<Currency, Stated>;

void add_totals(const StatementAggregate& found, Neighbour side, StatedBalances& balances) {
  for (const StatementTotal& total : found.totals) {
    const auto& balance = side == Neighbour::before ? total.closing_balance : total.opening_balance;
    if (balance) balances.try_emplace(total.currency, Stated{found.statement, *balance});
  }
}

// Returns the nearest balances that the compared statements before or after the day state, in their newest versions:
// in the currencies of `sums`, and in those of the nearest one. A day that states none does not change the balance.
// Behind an outstanding statement, no balance is known.
Result<StatedBalances> stated(Reader& reader, const Statement& statement, std::span<const StatementSums> sums,
                              Neighbour side) {
  StatedBalances balances;
  const auto is_in = [&](const StatementSums& one) { return balances.contains(one.currency); };
  for (int days = 1; days <= kDaysApartMax; ++days) {
    if (!balances.empty() && std::ranges::all_of(sums, is_in)) break;
    const auto newest =
        reader.newest_statement(statement.channel_account_id, statement.kind, statement.funds_account,
                                add_days(statement.date, days * static_cast<int>(side)), statement.source);
    if (!newest) return std::unexpected(newest.error());
    if (!*newest || ((*newest)->state != StatementState::matched && (*newest)->state != StatementState::empty)) break;
    if ((*newest)->state == StatementState::empty) continue;
    const auto found = reader.statement((*newest)->id);
    if (!found) return std::unexpected(found.error());
    if (*found) add_totals(**found, side, balances);
  }
  return balances;
}

std::optional<MinorUnits> balance_in(const StatedBalances& balances, Currency currency) {
  const auto at = balances.find(currency);
  return at == balances.end() ? std::nullopt : std::optional(at->second.balance);
}

// Returns the opening balance plus the lines; empty without an opening balance, or if it would overflow.
std::optional<MinorUnits> computed_closing(const StatementSums& sums) {
  if (!sums.opening_balance) return std::nullopt;
  const auto credited = checked_add(*sums.opening_balance, sums.credits);
  return credited ? checked_add(*credited, -sums.debits) : std::nullopt;
}

std::string balance_text(const Statement& statement, Currency currency) {
  return fmt::format("{} {} {} {}", name_of(statement.kind), statement.funds_account, currency.text(), statement.date);
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
  const auto before = stated(reader_, statement, sums, Neighbour::before);
  if (!before) return std::unexpected(before.error());
  const auto after = stated(reader_, statement, sums, Neighbour::after);
  if (!after) return std::unexpected(after.error());
  std::map<Currency, StatementSums> all;
  for (const auto* side : {&*before, &*after})
    for (const auto& [currency, one] : *side) all.try_emplace(currency, StatementSums{.currency = currency});
  for (const StatementSums& one : sums) all.insert_or_assign(one.currency, one);
  for (const auto& [currency, one] : all) {
    if (auto checked = check_lines(statement, one); !checked) return checked;
    const auto earlier = balance_in(*before, currency);
    if (auto checked = check(statement, currency, earlier, one.opening_balance); !checked) return checked;
    const auto later = after->find(currency);
    if (later == after->end()) continue;
    const bool states_none = !one.opening_balance && !one.closing_balance;
    if (auto checked = check(later->second.statement, currency, states_none ? earlier : one.closing_balance,
                             later->second.balance);
        !checked)
      return checked;
  }
  return {};
}

// Records whether the opening balance and the lines of the statement give its closing balance.
Result<void> StatementReports::check_lines(const Statement& statement, const StatementSums& sums) {
  const auto computed = computed_closing(sums);
  if (!computed || !sums.closing_balance) return {};
  const std::string text = balance_text(statement, sums.currency);
  return record_break(statement, {sums.currency, *computed, *sums.closing_balance}, text + " lines",
                      "balance of lines " + text);
}

// Records whether the opening balance of the statement continues that closing balance.
Result<void> StatementReports::check(const Statement& statement, Currency currency, std::optional<MinorUnits> closing,
                                     std::optional<MinorUnits> opening) {
  if (!closing || !opening) return {};
  const std::string text = balance_text(statement, currency);
  return record_break(statement, {currency, *closing, *opening}, text, "balance " + text);
}

// Records what operators have not resolved yet of the difference between two balances. A break with other balances
// ends, and a further one replaces it. One that operators kept or adjusted stays: the new one has the rest.
Result<void> StatementReports::record_break(const Statement& statement, const Balances& balances, std::string text,
                                            const std::string& subject) {
  DifferenceRecorder differences(reader_, commands_, statement.channel_account_id);
  auto known = differences.history(kPlatform, subject);
  if (!known) return std::unexpected(known.error());
  Difference row = difference_of(statement);
  row.difference_class = DifferenceClass::balance_break;
  row.ours = balances.ours;
  row.theirs = balances.theirs;
  row.amount = balances.theirs - balances.ours;
  row.currency = balances.currency;
  row.changes_balance = true;
  row.subject = std::move(text);
  for (const Difference& one : *known) row.amount -= one.state == DifferenceState::resolved ? one.amount : 0;
  if (!known->empty() && !difference_machine.is_final(known->back().state)) {
    Difference& open = known->back();
    if (open.ours == row.ours && open.theirs == row.theirs && open.amount == row.amount) return {};
    if (auto ended = differences.record(std::move(open), subject, DifferenceEvent::repair, statement.id); !ended)
      return ended;
  }
  if (row.amount != 0)
    if (auto found = differences.record_again(std::move(row), subject, DifferenceEvent::find); !found) return found;
  return commands_.settle();
}

}  // namespace finality
