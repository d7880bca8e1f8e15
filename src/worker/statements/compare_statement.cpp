#include "worker/statements/compare_statement.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/log.h"
#include "worker/statements/due/statement_schedule.h"
#include "worker/statements/line_keys.h"

namespace finality {
namespace {

constexpr std::size_t kVersionsMax = 1000;  // of the statement of a day

// Whether the lines are compared with the books. An uploaded funds statement would be posted, and only evidence is.
bool is_compared(const Statement& statement) {
  return statement.kind != StatementKind::funds || statement.source == StatementSource::fetched;
}

// Whether an earlier version is not compared yet. Compared later, it would post again what this version contains.
Result<bool> has_outstanding_version(Reader& reader, const Statement& statement) {
  const auto versions = versions_before(reader, statement, std::nullopt);
  if (!versions) return std::unexpected(versions.error());
  return std::ranges::any_of(*versions, [](const Statement& row) {
    return statement_machine.due_effect(row.state) == StatementEffect::match;
  });
}

// Whether the statement of trades of the day of a funds statement is not compared yet. Its evidence books what the
// funds statement then finds in the books. A statement that the channel has not provided in time does not count.
Result<bool> has_outstanding_trades(Reader& reader, const Statement& statement, const StatementPlan& plan, Time now) {
  const auto trades = reader.newest_statement(statement.channel_account_id, StatementKind::trades, "", statement.date,
                                              StatementSource::fetched);
  if (!trades) return std::unexpected(trades.error());
  if (!*trades) return false;
  const auto effect = statement_machine.due_effect((*trades)->state);
  if (effect == StatementEffect::none) return false;
  const bool is_refused = effect == StatementEffect::download && (*trades)->failure.has_value();
  return !is_refused || now < late_at(plan, statement.date);
}

Result<void> note_earlier(const Statement& earlier, LineMatcher& matcher, const StatementFiles& files, bool is_newest) {
  LineKeys keys(earlier.channel_account_id);  // each version counts its equal lines from 0
  auto noted = files.read(earlier, [&](StatementLine&& line) -> Result<void> {
    matcher.note_earlier(line, keys.next(line), is_newest);
    return {};
  });
  if (noted) matcher.end_noted_version();
  return noted;
}

// Without the file of the version, which may have expired, no line replaces one of its lines.
Result<void> note_if_stored(const Statement& earlier, LineMatcher& matcher, const StatementFiles& files,
                            bool is_newest) {
  const auto is_stored = files.has_file(earlier);
  if (!is_stored) return std::unexpected(is_stored.error());
  return *is_stored ? note_earlier(earlier, matcher, files, is_newest) : Result<void>{};
}

// What funds statements have posted must be known of all earlier versions. A line of trades replaces one of the newest,
// a line of a bank account one of any version.
Result<void> note_versions(const Statement& statement, std::span<const Statement> earlier, LineMatcher& matcher,
                           const StatementFiles& files) {
  const auto note = [&matcher](StatementLine&& line) -> Result<void> {
    matcher.note(line);
    return {};
  };
  if (auto noted = files.read(statement, note); !noted) return noted;
  if (statement.kind == StatementKind::trades) return note_if_stored(earlier.front(), matcher, files, true);
  if (statement.kind == StatementKind::bank)
    for (const Statement& version : std::views::reverse(earlier))
      if (auto noted = note_if_stored(version, matcher, files, &version == &earlier.front()); !noted) return noted;
  if (statement.kind == StatementKind::funds)
    for (const Statement& version : earlier)
      if (auto noted = note_earlier(version, matcher, files, &version == &earlier.front()); !noted) return noted;
  return {};
}

// Compares with the lines of an earlier version. Without its file, which may have expired, withdrawn lines are not
// found; matches of lines that changed are still replaced.
Result<void> compare_earlier(const Statement& earlier, LineMatcher& matcher, const StatementFiles& files) {
  const auto is_stored = files.has_file(earlier);
  if (!is_stored) return std::unexpected(is_stored.error());
  if (!*is_stored) {
    log::info("earlier version not compared: its file has expired", {{"statement", to_text(earlier.id)}});
    return {};
  }
  auto compared = files.read(earlier, [&](StatementLine&& line) { return matcher.add_earlier(std::move(line)); });
  return compared ? matcher.finish_earlier() : compared;
}

}  // namespace

bool is_complete(const Statement& statement) {
  return statement.source == StatementSource::fetched || statement.kind == StatementKind::bank;
}

Result<std::vector<Statement>> versions_before(Reader& reader, const Statement& statement,
                                               std::optional<StatementState> state) {
  if (statement.file_version == 1) return std::vector<Statement>{};
  const StatementFilter filter{.channel_account_id = statement.channel_account_id,
                               .kind = statement.kind,
                               .from = statement.date,
                               .to = statement.date,
                               .state = state};
  auto versions = reader.statements(filter, {.limit = kVersionsMax});
  if (!versions) return std::unexpected(versions.error());
  std::erase_if(versions->rows, [&](const Statement& row) {
    return row.source != statement.source || row.file_version >= statement.file_version ||
           row.funds_account != statement.funds_account;
  });
  return std::move(versions->rows);
}

Result<std::vector<Statement>> earlier_versions(Reader& reader, const Statement& statement) {
  if (!is_complete(statement)) return std::vector<Statement>{};
  return versions_before(reader, statement, StatementState::matched);
}

Result<bool> waits_for_another(Reader& reader, const Statement& statement, const StatementPlan& plan, Time now) {
  auto waits = has_outstanding_version(reader, statement);
  if (!waits || *waits || statement.kind != StatementKind::funds) return waits;
  return has_outstanding_trades(reader, statement, plan, now);
}

Result<void> compare_lines(const Statement& statement, std::span<const Statement> earlier, LineMatcher& matcher,
                           const StatementFiles& files) {
  if (!is_compared(statement)) return {};
  if (!earlier.empty())
    if (auto noted = note_versions(statement, earlier, matcher, files); !noted) return noted;
  const auto add = [&matcher](StatementLine&& line) { return matcher.add(std::move(line)); };
  if (auto added = files.read(statement, add); !added) return added;
  if (auto compared = matcher.finish_lines(); !compared) return compared;
  if (!earlier.empty())
    if (auto compared = compare_earlier(earlier.front(), matcher, files); !compared) return compared;
  return is_complete(statement) ? matcher.find_missing() : Result<void>{};
}

StepStatement finish_of(const Statement& statement, const LineMatcher& matcher, std::vector<StatementSums> sums,
                        const StatementPlan& plan, const Policy& policy) {
  StepStatement finish{.statement_id = statement.id, .event = StatementEvent::finish};
  const MatchCounts& counts = matcher.counts();
  finish.matched = counts.matched;
  finish.repaired = counts.repaired;
  finish.carried = counts.carried;
  finish.differences = counts.differences;
  finish.recorded = counts.recorded;
  for (const StatementSums& one : sums) finish.lines += one.lines;
  finish.sums = std::move(sums);
  finish.funds = matcher.result();
  finish.funds.utc_offset = plan.utc_offset;
  if (const auto bank = policy.bank_account_of(statement.channel)) {
    finish.funds.bank_account = bank->name;
    finish.funds.bank_currency = bank->currency;
  }
  return finish;
}

}  // namespace finality
