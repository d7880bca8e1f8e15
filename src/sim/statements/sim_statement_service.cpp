#include "sim/statements/sim_statement_service.h"

#include <algorithm>
#include <utility>

#include "base/time/date.h"
#include "sim/bugs/bug.h"
#include "worker/statements/due/statement_expectations.h"
#include "worker/statements/due/statement_schedule.h"
#include "worker/statements/statement_reports.h"

namespace finality::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kDuePerRound = 16;
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

/// Passes everything on to a matcher. Renews the claim of the statement at times, and applies an injected bug.
class DisturbedMatcher final : public LineMatcher {
 public:
  using Renew = std::function<Result<void>()>;

  /// `bug` may be null. REQUIRES: `bug` outlives this object.
  DisturbedMatcher(std::unique_ptr<LineMatcher> matcher, Renew renew, const Bug* bug)
      : matcher_(std::move(matcher)), renew_(std::move(renew)), bug_(bug) {}

  void note(const StatementLine& line) override { matcher_->note(line); }
  void note_earlier(const StatementLine& line, const Hash16& key, bool is_newest) override {
    if (bug_ == nullptr || !bug_->forgets_versions) matcher_->note_earlier(line, key, is_newest);
  }
  void end_noted_version() override { matcher_->end_noted_version(); }
  Result<void> add(StatementLine line) override {
    if (auto renewed = renew_(); !renewed) return renewed;
    if (bug_ != nullptr && is_omitted(*bug_, line)) return {};
    return matcher_->add(std::move(line));
  }
  Result<void> finish_lines() override { return matcher_->finish_lines(); }
  Result<void> add_earlier(StatementLine line) override { return matcher_->add_earlier(std::move(line)); }
  Result<void> finish_earlier() override { return matcher_->finish_earlier(); }
  Result<void> find_missing() override { return matcher_->find_missing(); }
  const MatchCounts& counts() const override { return matcher_->counts(); }
  FundsResult result() const override { return matcher_->result(); }

 private:
  // Applies the bug to a line. Returns true if the line is not compared.
  bool is_omitted(const Bug& bug, StatementLine& line) {
    has_ended_ = has_ended_ || (bug.ends_without_fee && line.fee_e5 == 0);
    return has_ended_ || (bug.statement_line != nullptr && !bug.statement_line(line));
  }

  std::unique_ptr<LineMatcher> matcher_;
  Renew renew_;
  const Bug* bug_;
  bool has_ended_ = false;  // by Bug::ends_without_fee
};

}  // namespace

void SimStatementService::start() { plan(); }

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
    if (!expect(work, account)) return;
    for (const StatementKind kind : book_.plan_of(account).kinds)
      if (!fetch_again(work, account, kind)) return;
    if (account.is_bank()) upload(account);
  }
  const auto due = reader_.due_statements(engine.now(), kDuePerRound, {});
  if (!due) return;
  for (const Statement& statement : *due) {
    // Two servers that compare different statements of a channel can both record a match of a repeated line, which one
    // of them then omits. Only the same statement is compared concurrently here.
    const bool is_other = std::ranges::any_of(in_work_, [&](const Statement* other) {
      return other->channel == statement.channel && other->id != statement.id;
    });
    if (is_other || in_work_.size() >= kWorkersMax || waits(statement)) continue;
    if (!work.commands.is_alive()) return;
    in_work_.push_back(&statement);
    handle(work, statement);
    in_work_.pop_back();
  }
}

Result<void> SimStatementService::expect(Work& work, const ChannelAccount& account) {
  return StatementExpectations(work.commands).expect(reader_, account, book_.plan_of(account), work.engine.now());
}

// After a failed read, the comparison waits for the next round.
bool SimStatementService::waits(const Statement& statement) {
  if (is_fetch(statement)) return false;
  const auto waits = waits_for_another(reader_, statement, plan_of(statement), scheduler_.now());
  return !waits || *waits;
}

// People upload the statements of the days that have ended, and the newer version of a statement.
void SimStatementService::upload(const ChannelAccount& account) {
  const StatementPlan& plan = book_.plan_of(account);
  const auto days = plan.can_upload(StatementKind::bank) ? expected_days(plan, account.created_at, scheduler_.now())
                                                         : std::optional<ExpectedDays>();
  if (!days) return;
  for (std::string date = days->first; date <= days->last; date = add_days(date, 1)) {
    const auto newest = reader_.newest_statement(account.id, StatementKind::bank, "", date, StatementSource::uploaded);
    if (!newest) return;
    if (!*newest || book_.offers_another(**newest)) upload({account.channel, date, StatementKind::bank}, *newest);
  }
}

void SimStatementService::upload(const FileName& name, const std::optional<Statement>& newest) {
  const ChannelFile* file = book_.download(name).file;
  if (file == nullptr) return;
  ReceiveStatement command{.day = {policy_.account_of(name.channel), name.channel, name.kind, "", name.date},
                           .newest = newest ? newest->id : StatementId{},
                           .newest_version = newest ? newest->file_version : 0,
                           .source = StatementSource::uploaded};
  command.sha256 = file->sha256;
  command.parts = parts_of(*file);
  command.bytes = static_cast<std::int64_t>(command.parts.front().data().size());
  client_.call({command, kPlatform}, [](const Reply&) {});
}

// Fetches statements again of which the channel has another version, and a few others.
Result<void> SimStatementService::fetch_again(Work& work, const ChannelAccount& account, StatementKind kind) {
  const auto days = expected_days(book_.plan(), account.created_at, work.engine.now());
  if (!days) return {};
  for (std::string date = days->first; date <= days->last; date = add_days(date, 1)) {
    const auto newest = reader_.newest_statement(account.id, kind, "", date, StatementSource::fetched);
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
    command.due_at = next_download(plan_of(statement), statement.date, now).value_or(now + hours(24));
  return work.commands.require(std::move(command), kPlatform);
}

Result<void> SimStatementService::download(Work& work, const Statement& statement) {
  if (const auto claimed = step(work, statement, StatementEvent::fetch); !claimed)
    return std::unexpected(claimed.error());
  const StatementBook::Download reply = book_.download(name_of_file(statement));
  work.commands.wait(scheduler_.now() + scheduler_.random().spread(Duration(1), seconds(20)));
  if (scheduler_.happens(Fault::answer_lost)) {
    book_.note_failure(name_of_file(statement), work.engine.now());
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
  command.bytes = static_cast<std::int64_t>(command.parts.front().data().size());
  const auto received = work.commands.require(std::move(command), kPlatform);
  return received ? Result<void>{} : std::unexpected(received.error());
}

// The channel has no statement of the day. An empty day is compared like a file without lines.
Result<void> SimStatementService::note_missing(Work& work, const Statement& statement, bool is_empty_day) {
  const bool is_known = statement.state == StatementState::expected || statement.state == StatementState::downloading ||
                        statement.state == StatementState::empty;
  if (!is_empty_day || !is_known || work.engine.now() < ready_at(plan_of(statement), statement.date)) {
    book_.note_failure(name_of_file(statement), work.engine.now());
    if (auto reported = report_if_late(work, statement); !reported) return reported;
    const auto noted = step(work, statement, StatementEvent::not_ready, "the channel has no statement yet");
    return noted ? Result<void>{} : std::unexpected(noted.error());
  }
  ComparisonSender commands(scheduler_, client_, work.engine, auditor_, bug_);
  const auto matcher = make_matcher(task_of(work, statement, StatementEvent::fetch, {}, commands), nullptr);
  if (statement.state != StatementState::empty)
    if (auto finished = matcher->finish_lines(); !finished) return finished;
  if (auto found = matcher->find_missing(); !found) return found;
  StepStatement end{.statement_id = statement.id, .event = StatementEvent::report_empty};
  end.due_since = work.claimed_until;
  end.recorded = matcher->counts().recorded;
  if (auto found = report_late(work, statement, DifferenceEvent::repair); !found) return found;
  const auto ended = work.commands.require(std::move(end), kPlatform);
  return ended ? Result<void>{} : std::unexpected(ended.error());
}

Result<void> SimStatementService::report_if_late(Work& work, const Statement& statement) {
  const bool is_outstanding = statement_machine.due_effect(statement.state) == StatementEffect::download;
  const bool is_late = work.engine.now() >= late_at(plan_of(statement), statement.date);
  return is_outstanding && is_late ? report_late(work, statement, DifferenceEvent::find) : Result<void>{};
}

Result<void> SimStatementService::report_late(Work& work, const Statement& statement, DifferenceEvent event) {
  return StatementReports(reader_, work.commands).report_missing(statement, event);
}

// The lines of all files are in the book.
StatementFiles SimStatementService::files() {
  return {.read = [this](const Statement& statement, const TakeLine& take) -> Result<void> {
    const ChannelFile* file = book_.file(statement.sha256);
    FINALITY_CHECK(file != nullptr, "a statement was received that the channel did not provide");
    for (StatementLine line : file->lines)
      if (auto taken = take(std::move(line)); !taken) return taken;
    return {};
  }};
}

// `claim` is the event that renews the claim of the statement.
MatchTask SimStatementService::task_of(Work& work, const Statement& statement, StatementEvent claim,
                                       std::span<const StatementId> earlier, CommandSender& commands) {
  const auto read_again = [this, &work, &statement, claim](const Statement& other,
                                                           const TakeLine& take) -> Result<void> {
    if (bug_ != nullptr && bug_->reads_no_other_day) return {};
    const auto claimed = step(work, statement, claim);
    return claimed ? files().read(other, take) : std::unexpected(claimed.error());
  };
  return {.statement = statement,
          .account = account_of(statement),
          .plan = plan_of(statement),
          .rates = rates_,
          .earlier = earlier,
          .reader = reader_,
          .commands = commands,
          .read_again = read_again};
}

Result<void> SimStatementService::match(Work& work, const Statement& statement) {
  if (const auto claimed = step(work, statement, StatementEvent::match); !claimed)
    return std::unexpected(claimed.error());
  const ChannelFile* file = book_.file(statement.sha256);
  FINALITY_CHECK(file != nullptr, "a statement was received that the channel did not provide");
  if (file->is_malformed) {
    if (statement.source == StatementSource::fetched)
      if (auto reported = report_late(work, statement, DifferenceEvent::find); !reported) return reported;
    const auto rejected = step(work, statement, StatementEvent::reject, "line 1 has no columns");
    return rejected ? Result<void>{} : std::unexpected(rejected.error());
  }
  const auto earlier = earlier_versions(reader_, statement);
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
  const auto renew = [this, &work, &statement]() -> Result<void> {
    if (!scheduler_.random().chance(kRenewed)) return {};
    const auto claimed = step(work, statement, StatementEvent::match);
    return claimed ? Result<void>{} : std::unexpected(claimed.error());
  };
  DisturbedMatcher matcher(
      make_matcher(task_of(work, statement, StatementEvent::match, earlier_ids, commands), newest ? &*newest : nullptr),
      renew, bug_);
  if (auto compared = compare_lines(statement, *earlier, matcher, files()); !compared) return compared;
  if (statement.kind != StatementKind::trades)
    if (auto checked = StatementReports(reader_, commands).check_balances(statement, file->sums); !checked)
      return checked;
  if (auto settled = commands.settle(); !settled) return settled;
  return finish(work, statement, finish_of(statement, matcher, file->sums, plan_of(statement), policy_));
}

Result<void> SimStatementService::finish(Work& work, const Statement& statement, StepStatement finish) {
  finish.due_since = work.claimed_until;
  Command command = std::move(finish);
  const bool has_bug = bug_ != nullptr && bug_->statement_command != nullptr;
  if (has_bug && !bug_->statement_command(command, auditor_)) return {};
  if (auto found = report_late(work, statement, DifferenceEvent::repair); !found) return found;
  const auto finished = work.commands.require(std::move(command), kPlatform);
  return finished ? Result<void>{} : std::unexpected(finished.error());
}

}  // namespace finality::sim
