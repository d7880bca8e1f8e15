#include "sim/statements/sim_statement_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time/date.h"
#include "model/natural_key.h"
#include "sim/bugs/bug.h"
#include "worker/statements/due/statement_schedule.h"
#include "worker/statements/line_keys.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kDuePerRound = 16;
constexpr std::size_t kVersionsMax = 1000;
constexpr std::size_t kWorkersMax = 3;  // engines that work on statements at the same time
constexpr Duration kClaimMin = seconds(2);
constexpr Duration kClaimMax = minutes(5);
constexpr int kRenewed = 30;       // per mille of the lines after which the claim is renewed
constexpr int kFetchedAgain = 20;  // per mille of the rounds and statements that operators fetch again for no reason

StatementDay day_of(const Statement& statement) {
  return {statement.channel_account_id, statement.channel, statement.kind, statement.funds_account, statement.date};
}

bool is_fetch(const Statement& statement) {
  return statement_machine.due_effect(statement.state) == StatementEffect::download || statement.is_fetched_again;
}

bool is_done(const Statement& statement) {
  return statement_machine.due_effect(statement.state) == StatementEffect::none && !statement.is_fetched_again;
}

// Returns the only part of a stored file. It names the file: the lines stay in the book.
std::vector<Bytes> parts_of(const ChannelFile& file) { return {Bytes{file.sha256}}; }

}  // namespace

void SimStatementService::start() {
  started_ = scheduler_.now();
  plan();
}

void SimStatementService::plan() {
  scheduler_.after(scheduler_.random().spread(minutes(4), hours(3)), [this] {
    plan();  // before the round, so that another engine can work while this one waits
    round();
  });
}

void SimStatementService::round() {
  if (in_work_.size() >= kWorkersMax) return;
  SimEngine& engine = client_.any_engine();
  if (!engine.is_running()) return;
  Work work{engine, SimCommandSender(scheduler_, client_, engine), {}};
  for (const auto& [channel, account] : policy_.accounts) {
    if (account.is_bank()) continue;  // banks provide no downloads
    if (!expect(work, account)) return;
    if (!fetch_again(work, account)) return;
  }
  const auto due = reader_.due_statements(engine.now(), kDuePerRound, {});
  if (!due) return;
  for (const Statement& statement : *due) {
    // Two servers that compare different statements of a channel can both record a match of a repeated line, which one
    // of them then omits. Only the same statement is compared concurrently here.
    const bool is_other = std::ranges::any_of(in_work_, [&](const Statement* other) {
      return other->channel == statement.channel && other->id != statement.id;
    });
    if (is_other || in_work_.size() >= kWorkersMax) continue;
    if (!work.commands.is_alive()) return;
    in_work_.push_back(&statement);
    handle(work, statement);
    in_work_.pop_back();
  }
}

Result<void> SimStatementService::expect(Work& work, const ChannelAccount& account) {
  const auto days = expected_days(book_.plan(), started_, work.engine.now());
  if (!days) return {};
  for (std::string date = days->first; date <= days->last; date = add_days(date, 1)) {
    const auto known = reader_.newest_statement(account.id, StatementKind::trades, "", date, StatementSource::fetched);
    if (!known) return std::unexpected(known.error());
    if (*known) continue;
    ExpectStatement command;
    command.day = {account.id, account.channel, StatementKind::trades, "", date};
    command.due_at = ready_at(book_.plan(), date);
    if (const auto reply = work.commands.require(command, kPlatform); !reply) return std::unexpected(reply.error());
  }
  return {};
}

// Fetches statements again of which the channel has another version, and a few others.
Result<void> SimStatementService::fetch_again(Work& work, const ChannelAccount& account) {
  const auto days = expected_days(book_.plan(), started_, work.engine.now());
  if (!days) return {};
  for (std::string date = days->first; date <= days->last; date = add_days(date, 1)) {
    const auto newest = reader_.newest_statement(account.id, StatementKind::trades, "", date, StatementSource::fetched);
    if (!newest) return std::unexpected(newest.error());
    if (!*newest) continue;
    const Statement& statement = **newest;
    const bool is_needed = is_done(statement) && book_.offers_another(statement);
    const bool is_random = !scheduler_.faults_stopped() && scheduler_.random().chance(kFetchedAgain);
    if (!is_needed && !is_random) continue;
    ExpectStatement command{.day = day_of(statement), .newest = statement.id, .is_again = true, .due_at = {}};
    command.due_at = work.engine.now();
    // After a crash the operator repeats the request, as the client does.
    client_.call({command, kPlatform}, [](const Reply&) {});
  }
  return {};
}

// An error ends the work: the statement is due again when the claim ends.
void SimStatementService::handle(Work& work, const Statement& statement) {
  const bool is_download = is_fetch(statement);
  work.claimed_until = statement.due_at.value_or(Time{});
  scheduler_.note(is_download ? "download" : "compare", to_text(statement.id), work.engine.number());
  const Result<void> done = is_download ? download(work, statement) : match(work, statement);
  if (!done) scheduler_.note("statement.failed", to_text(statement.id), work.engine.number());
}

Result<Reply> SimStatementService::step(Work& work, const Statement& statement, StatementEvent event,
                                        const std::string& failure) {
  StepStatement command{.statement_id = statement.id, .event = event, .failure = failure};
  const Time now = work.engine.now();
  command.due_since = work.claimed_until;
  if (event == StatementEvent::fetch || event == StatementEvent::match) {
    command.due_at = now + scheduler_.random().spread(kClaimMin, kClaimMax);
    work.claimed_until = *command.due_at;
  }
  if (event == StatementEvent::not_ready)
    command.due_at = next_download(book_.plan(), statement.date, now).value_or(now + hours(24));
  return work.commands.require(std::move(command), kPlatform);
}

Result<void> SimStatementService::download(Work& work, const Statement& statement) {
  if (const auto claimed = step(work, statement, StatementEvent::fetch); !claimed)
    return std::unexpected(claimed.error());
  const StatementBook::Download reply = book_.download(statement.channel, statement.date);
  work.commands.wait(scheduler_.now() + scheduler_.random().spread(Duration(1), seconds(20)));
  if (scheduler_.happens(Fault::answer_lost)) {
    book_.note_failure(statement.channel, statement.date, work.engine.now());
    if (auto reported = report_if_late(work, statement); !reported) return reported;
    const auto noted = step(work, statement, StatementEvent::not_ready, "timeout");
    return noted ? Result<void>{} : std::unexpected(noted.error());
  }
  if (reply.file == nullptr) return note_missing(work, statement, reply.is_empty_day);
  ReceiveStatement command{.day = day_of(statement),
                           .newest = statement.id,
                           .newest_version = statement.file_version,
                           .source = StatementSource::fetched};
  command.sha256 = reply.file->sha256;
  command.parts = parts_of(*reply.file);
  command.bytes = static_cast<std::int64_t>(command.parts.front().data.size());
  const auto received = work.commands.require(std::move(command), kPlatform);
  return received ? Result<void>{} : std::unexpected(received.error());
}

// The channel has no statement of the day. An empty day is compared like a file without lines.
Result<void> SimStatementService::note_missing(Work& work, const Statement& statement, bool is_empty_day) {
  const bool is_known = statement.state == StatementState::expected || statement.state == StatementState::downloading ||
                        statement.state == StatementState::empty;
  if (!is_empty_day || !is_known || work.engine.now() < ready_at(book_.plan(), statement.date)) {
    book_.note_failure(statement.channel, statement.date, work.engine.now());
    if (auto reported = report_if_late(work, statement); !reported) return reported;
    const auto noted = step(work, statement, StatementEvent::not_ready, "the channel has no statement yet");
    return noted ? Result<void>{} : std::unexpected(noted.error());
  }
  ComparisonSender commands(scheduler_, client_, work.engine, auditor_, bug_);
  const auto matcher = make_matcher(task_of(statement, {}, commands), nullptr);
  if (statement.state != StatementState::empty)
    if (auto finished = matcher->finish_lines(); !finished) return finished;
  if (auto found = matcher->find_missing(); !found) return found;
  StepStatement end{.statement_id = statement.id, .event = StatementEvent::report_empty};
  end.due_since = work.claimed_until;
  end.recorded = matcher->counts().recorded;
  const auto ended = work.commands.require(std::move(end), kPlatform);
  return ended ? report_late(work, statement, DifferenceEvent::repair) : std::unexpected(ended.error());
}

Result<void> SimStatementService::report_if_late(Work& work, const Statement& statement) {
  const bool is_outstanding = statement_machine.due_effect(statement.state) == StatementEffect::download;
  const bool is_late = work.engine.now() >= late_at(book_.plan(), statement.date);
  return is_outstanding && is_late ? report_late(work, statement, DifferenceEvent::find) : Result<void>{};
}

Result<void> SimStatementService::report_late(Work& work, const Statement& statement, DifferenceEvent event) {
  RecordDifference command;
  Difference& row = command.difference;
  row.merchant_id = kPlatform;
  row.channel_account_id = statement.channel_account_id;
  row.kind = statement.kind;
  row.date = statement.date;
  row.difference_class = DifferenceClass::statement_missing;
  row.statement_id = statement.id;
  row.subject = fmt::format("{} {} {}", name_of(statement.kind), statement.funds_account, statement.date);
  command.subject = "statement " + row.subject;
  command.event = event;
  const auto known = reader_.named(key_of_difference(kPlatform, statement.channel_account_id, command.subject));
  if (!known) return std::unexpected(known.error());
  command.known = DifferenceId{*known};
  if (event == DifferenceEvent::repair && !command.known) return {};
  if (event == DifferenceEvent::repair) command.repaired_by = statement.id;
  const auto reply = work.commands.require(std::move(command), kPlatform);
  return reply ? Result<void>{} : std::unexpected(reply.error());
}

MatchTask SimStatementService::task_of(const Statement& statement, std::span<const StatementId> earlier,
                                       CommandSender& commands) {
  return {.statement = statement,
          .account = policy_.accounts.at(statement.channel),
          .plan = book_.plan(),
          .rates = rates_,
          .earlier = earlier,
          .reader = reader_,
          .commands = commands};
}

Result<void> SimStatementService::match(Work& work, const Statement& statement) {
  if (const auto claimed = step(work, statement, StatementEvent::match); !claimed)
    return std::unexpected(claimed.error());
  const ChannelFile* file = book_.file(statement.sha256);
  FINALITY_CHECK(file != nullptr, "a statement was received that the channel did not provide");
  if (file->is_malformed) {
    if (auto reported = report_late(work, statement, DifferenceEvent::find); !reported) return reported;
    const auto rejected = step(work, statement, StatementEvent::reject, "line 1 has no columns");
    return rejected ? Result<void>{} : std::unexpected(rejected.error());
  }
  const auto earlier = earlier_versions(statement);
  if (!earlier) return std::unexpected(earlier.error());
  std::vector<StatementId> earlier_ids;
  for (const Statement& row : *earlier) earlier_ids.push_back(row.id);
  std::optional<StatementAggregate> newest;
  if (!earlier->empty()) {
    auto read = reader_.statement(earlier->front().id);
    if (!read) return std::unexpected(read.error());
    newest = std::move(*read);
  }
  ComparisonSender commands(scheduler_, client_, work.engine, auditor_, bug_);
  const auto matcher = make_matcher(task_of(statement, earlier_ids, commands), newest ? &*newest : nullptr);
  if (auto compared = compare(work, statement, *file, *earlier, *matcher); !compared) return compared;
  if (auto settled = commands.settle(); !settled) return settled;
  const MatchCounts& counts = matcher->counts();
  StepStatement finish{.statement_id = statement.id, .event = StatementEvent::finish};
  finish.due_since = work.claimed_until;
  finish.funds = matcher->result();
  finish.matched = counts.matched;
  finish.repaired = counts.repaired;
  finish.carried = counts.carried;
  finish.differences = counts.differences;
  finish.recorded = counts.recorded;
  for (const StatementLine& line : file->lines)
    FINALITY_CHECK(add_line(finish.sums, line), "the sums of a simulated statement overflow");
  for (const StatementSums& sums : finish.sums) finish.lines += sums.lines;
  if (const auto finished = work.commands.require(std::move(finish), kPlatform); !finished)
    return std::unexpected(finished.error());
  return report_late(work, statement, DifferenceEvent::repair);
}

Result<void> SimStatementService::compare(Work& work, const Statement& statement, const ChannelFile& file,
                                          const std::vector<Statement>& earlier, LineMatcher& matcher) {
  if (!earlier.empty()) {
    for (const StatementLine& line : file.lines) matcher.note(line);
    LineKeys keys(statement.channel_account_id);
    for (const StatementLine& line : book_.file(earlier.front().sha256)->lines)
      matcher.note_earlier(line, keys.next(line), true);
  }
  for (StatementLine line : file.lines) {
    if (scheduler_.random().chance(kRenewed))
      if (const auto claimed = step(work, statement, StatementEvent::match); !claimed)
        return std::unexpected(claimed.error());
    if (bug_ != nullptr && bug_->statement_line != nullptr && !bug_->statement_line(line)) continue;
    if (auto added = matcher.add(std::move(line)); !added) return added;
  }
  if (auto compared = matcher.finish_lines(); !compared) return compared;
  if (earlier.empty()) return matcher.find_missing();
  for (const StatementLine& line : book_.file(earlier.front().sha256)->lines)
    if (auto compared = matcher.add_earlier(line); !compared) return compared;
  if (auto compared = matcher.finish_earlier(); !compared) return compared;
  return matcher.find_missing();
}

Result<std::vector<Statement>> SimStatementService::earlier_versions(const Statement& statement) {
  if (statement.file_version == 1) return std::vector<Statement>{};
  const StatementFilter filter{.channel_account_id = statement.channel_account_id,
                               .kind = statement.kind,
                               .from = statement.date,
                               .to = statement.date,
                               .state = StatementState::matched};
  auto versions = reader_.statements(filter, {.limit = kVersionsMax});
  if (!versions) return std::unexpected(versions.error());
  std::erase_if(versions->rows, [&](const Statement& row) { return row.file_version >= statement.file_version; });
  return std::move(versions->rows);
}

}  // namespace finality::sim
