#include "worker/statements/statement_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "base/limits.h"
#include "base/log.h"
#include "base/time/date.h"
#include "decide/statement/index_statement.h"
#include "store/each_page.h"
#include "worker/statements/compare_statement.h"
#include "worker/statements/due/statement_schedule.h"
#include "worker/statements/sealed_file.h"
#include "worker/statements/statement_reports.h"
#include "worker/statements/statement_rows.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookEvery = 1s;
constexpr Duration kClaim = 5min;  // of a statement, until another server may work on it
constexpr Duration kDownloadTimeout = 1min;
constexpr std::size_t kDuePerRead = 1000;
constexpr Duration kStopCheck = 100ms;   // while a request waits for the channel
constexpr Duration kRenewBefore = 150s;  // the end of the claim
constexpr Duration kWaitingEvery = 1h;   // between two counts of unconfirmed payments and refunds

StatementCall call_of(const Statement& statement) {
  return {.kind = statement.kind, .funds_account = statement.funds_account, .date = statement.date};
}

StatementDay day_of(const Statement& statement) {
  return {statement.channel_account_id, statement.channel, statement.kind, statement.funds_account, statement.date};
}

bool is_fetch(const Statement& statement) {
  return statement_machine.due_effect(statement.state) == StatementEffect::download || statement.is_fetched_again;
}

void log_failure(const Statement& statement, const Error& error) {
  log::warn(is_fetch(statement) ? "cannot download a statement" : "cannot compare a statement with the books",
            {{"statement", to_text(statement.id)},
             {"channel", statement.channel},
             {"date", statement.date},
             {"error", error.message}});
}

void log_unindexed(const Statement& statement, const Result<void>& indexed) {
  if (!indexed)
    log::warn("cannot index the lines of a statement",
              {{"statement", to_text(statement.id)}, {"error", indexed.error().message}});
}

std::int64_t lines_in(std::span<const StatementSums> sums) {
  std::int64_t lines = 0;
  for (const StatementSums& one : sums) lines += one.lines;
  return lines;
}

}  // namespace

StatementService::StatementService(StatementServiceOptions options)
    : options_(std::move(options)), commands_(new_sender()), expectations_(commands_), uncompared_(commands_) {}

StatementService::~StatementService() { stop(); }

void StatementService::start() {
  thread_.start("statements", [this] { return work(); }, options_.policy.scaled(kLookEvery));
}

void StatementService::stop() { thread_.stop(); }

bool StatementService::work() {
  if (!reader_) {
    auto reader = options_.store.open_reader();
    if (!reader) return false;
    reader_ = std::move(*reader);
  }
  const Time now = options_.clock.now();
  expect_all(now);
  count_waiting(now);
  bool worked = false;
  std::set<StatementId> unindexable;
  DuePlace behind;
  while (true) {
    const auto due = reader_->due_statements(now, kDuePerRead, behind);
    if (!due) {
      reader_.reset();
      return false;
    }
    for (const Statement& statement : *due) {
      if (!options_.sources.contains(statement.channel)) continue;  // another server has the channel account
      const bool is_waiting = waits(statement);
      if (is_waiting)
        index_waiting(statement, unindexable);
      else
        handle(statement);
      worked = worked || !is_waiting;
      if (thread_.is_stopping()) return false;
    }
    if (due->size() < kDuePerRead) break;
    behind = {due->back().due_at.value(), due->back().id.value};
  }
  unindexable_ = std::move(unindexable);
  return worked || index_next();
}

void StatementService::expect_all(Time now) {
  for (const auto& [name, statements] : options_.sources) {
    const auto account = options_.policy.accounts.find(name);
    if (account == options_.policy.accounts.end()) continue;
    const auto done = expectations_.expect(*reader_, account->second, statements->statement_plan(), now);
    if (!done && !thread_.is_stopping())
      log::warn("cannot expect statements", {{"channel", name}, {"error", done.error().message}});
  }
}

// After a failed read, the comparison waits for the next round. A statement that waits too long is reported.
bool StatementService::waits(const Statement& statement) {
  if (is_fetch(statement)) return false;
  const StatementPlan& plan = find_statements(options_.sources, statement.channel)->statement_plan();
  const auto waits = waits_for_another(*reader_, statement, plan, options_.clock.now());
  if (waits && !*waits) return false;
  const auto reported =
      waits ? uncompared_.report_if_late(*reader_, statement, plan, options_.clock.now()) : Result<void>{};
  if (!reported && !thread_.is_stopping()) log_failure(statement, reported.error());
  return true;
}

void StatementService::handle(const Statement& statement) {
  const Statements& statements = *find_statements(options_.sources, statement.channel);
  const Result<void> done = is_fetch(statement) ? download(statement, statements) : match(statement, statements);
  if (!done && !thread_.is_stopping()) log_failure(statement, done.error());
}

// Counts the payments, refunds and returns that a statement of trades or of funds has not confirmed in
// limits::kArchivedAfter, once per kWaitingEvery. Their orders cannot be archived.
void StatementService::count_waiting(Time now) {
  if (now < count_waiting_at_) return;
  count_waiting_at_ = now + kWaitingEvery;
  const std::string until = date_of(now - limits::kArchivedAfter, std::chrono::minutes(0));
  std::unordered_set<std::int64_t> waiting;
  for (const DifferenceState state : {DifferenceState::open, DifferenceState::carried})
    if (auto added = add_waiting(state, until, waiting); !added)
      return log::warn("cannot count unconfirmed documents", {{"error", added.error().message}});
  counters_.waiting = std::ssize(waiting);
}

// Adds the documents of the differences. A document can have differences of both kinds.
Result<void> StatementService::add_waiting(DifferenceState state, const std::string& until,
                                           std::unordered_set<std::int64_t>& documents) {
  const DifferenceFilter filter{.to = until, .state = state};
  const auto list = [&](const Page& page) { return reader_->differences(filter, page); };
  const auto add_page = [&](std::span<const Difference> rows) -> Result<void> {
    for (const Difference& row : rows)
      if (holds_order(row)) documents.insert(row.document_id);
    return {};
  };
  return store::for_each_page(list, add_page);
}

// Restores archived orders, so that their lines can be compared. A line whose order cannot be restored becomes a
// difference, and the other lines are still compared.
Result<void> StatementService::restore(std::span<const ArchivedOrder> orders) {
  if (options_.restorer == nullptr) return {};
  const auto restored = options_.restorer->restore_and_wait(orders);
  return restored || !thread_.is_stopping() ? Result<void>{} : fail(std::string(kServerStops));
}

const ChannelAccount& StatementService::account_of(const Statement& statement) const {
  return options_.policy.accounts.at(statement.channel);
}

// Submits a claim or the result of the work. A refused claim is an error: another server works on the statement.
Result<Reply> StatementService::step(const Statement& statement, StatementEvent event, const std::string& failure) {
  StepStatement command{.statement_id = statement.id, .event = event, .failure = failure};
  const Time now = options_.clock.now();
  command.due_since = claimed_until_;
  if (event == StatementEvent::fetch || event == StatementEvent::match) {
    command.due_at = now + kClaim;
    claimed_until_ = *command.due_at;
  }
  if (event == StatementEvent::not_ready) {
    const Statements& statements = *find_statements(options_.sources, statement.channel);
    const auto next = next_download(statements.statement_plan(), statement.date, now);
    command.due_at = now + options_.policy.scaled(next ? *next - now : Duration(24h));
  }
  return commands_.require(std::move(command), kPlatform);
}

// Claims the statement again if the claim ends soon, so that no other server starts to work on it too.
Result<void> StatementService::renew_claim(const Claimed& claimed) {
  if (options_.clock.now() + kRenewBefore < claimed_until_) return {};
  const auto renewed = step(claimed.statement, claimed.event);
  return renewed ? Result<void>{} : std::unexpected(renewed.error());
}

Result<void> StatementService::download(const Statement& statement, const Statements& statements) {
  claimed_until_ = statement.due_at.value_or(Time{});
  if (auto claimed = step(statement, StatementEvent::fetch); !claimed) return std::unexpected(claimed.error());
  ++counters_.downloads;
  NoStatement none{.is_empty_day = false, .code = {}};
  const auto file = fetch_file(call_of(statement), statements, none);
  if (!file && thread_.is_stopping()) return std::unexpected(file.error());  // repeated when the claim ends
  if (!file) {
    ++counters_.download_failures;
    if (auto reported = report_if_late(statement, statements.statement_plan()); !reported) return reported;
    const Result<Reply> noted = step(statement, StatementEvent::not_ready, file.error().message);
    if (!noted) return std::unexpected(noted.error());
    return std::unexpected(file.error());
  }
  if (file->empty()) return note_missing(statement, statements, none);
  ReceiveStatement command{.day = day_of(statement),
                           .newest = statement.id,
                           .newest_version = statement.file_version,
                           .source = StatementSource::fetched};
  command.sha256 = sha256_hex(*file);
  command.bytes = static_cast<std::int64_t>(file->size());
  command.parts = seal_file(options_.key, command.sha256, *file);
  const auto received = commands_.require(std::move(command), kPlatform);
  return received ? Result<void>{} : std::unexpected(received.error());
}

// Returns the file; empty with `none` if the channel has no statement.
Result<std::string> StatementService::fetch_file(const StatementCall& call, const Statements& statements,
                                                 NoStatement& none) {
  const Time now = options_.clock.now();
  auto request = statements.request_of(call, now);
  if (!request) return std::unexpected(request.error());
  const UpstreamResponse response = send(std::move(*request), limits::kStatementBytesMax);
  auto answer = statements.statement_answer_of(call, response, now);
  if (!answer) return std::unexpected(answer.error());
  if (auto* file = std::get_if<StatementFile>(&*answer)) return std::move(file->content);
  if (auto* missing = std::get_if<NoStatement>(&*answer)) {
    none = *missing;
    return std::string();
  }
  const auto& link = std::get<StatementLink>(*answer);
  const UpstreamResponse downloaded = send(link.download, limits::kStatementBytesMax);
  ParseBudget budget(downloaded.http ? downloaded.http->body.size() : 0, thread_.stop_token());
  return statements.file_of(link, downloaded, budget);
}

UpstreamResponse StatementService::send(UpstreamRequest request, std::size_t bytes_max) {
  auto outcome = std::make_shared<std::promise<net::CallResult>>();
  options_.client.call({.url = std::move(request.url),
                        .method = std::move(request.http.method),
                        .headers = std::move(request.http.headers),
                        .body = std::move(request.http.body),
                        .timeout = kDownloadTimeout,
                        .response_bytes_max = bytes_max},
                       [outcome](net::CallResult result) { outcome->set_value(std::move(result)); });
  std::future<net::CallResult> answer = outcome->get_future();
  while (answer.wait_for(kStopCheck) != std::future_status::ready)
    if (thread_.is_stopping()) return {.http = {}, .failure = std::string(kServerStops)};
  net::CallResult result = answer.get();
  if (!result.answered) return {.http = {}, .failure = std::move(result.failure)};
  return {.http = std::move(result.response), .failure = {}};
}

// The channel has no statement of the day: it has none yet, or nothing happened on that day.
Result<void> StatementService::note_missing(const Statement& statement, const Statements& statements,
                                            const NoStatement& none) {
  const StatementPlan& plan = statements.statement_plan();
  const bool is_known = statement.state == StatementState::expected || statement.state == StatementState::downloading ||
                        statement.state == StatementState::empty;
  const Time now = options_.clock.now();
  if (!none.is_empty_day || !is_known || now < ready_at(plan, statement.date)) {
    if (auto reported = report_if_late(statement, plan); !reported) return reported;
    const auto noted = step(statement, StatementEvent::not_ready, "the channel has no statement yet: " + none.code);
    return noted ? Result<void>{} : std::unexpected(noted.error());
  }
  const auto compared = compare_empty(statement, statements);
  const bool is_outstanding = statement_machine.due_effect(statement.state) == StatementEffect::download;
  if (compared || thread_.is_stopping() || !is_outstanding) return compared;
  if (auto reported = report_if_late(statement, plan); !reported) return reported;
  return note_failure(statement, plan, compared.error());
}

// Compares an empty day like a file without lines. If the day was empty before, its matches are counted: then only the
// books are searched again.
Result<void> StatementService::compare_empty(const Statement& statement, const Statements& statements) {
  EngineCommandSender commands = new_sender();
  const auto matcher = make_matcher(task_of({statement, StatementEvent::fetch}, statements, commands), nullptr);
  if (statement.state != StatementState::empty)
    if (auto finished = matcher->finish_lines(); !finished) return finished;
  if (auto found = matcher->find_missing(); !found) return found;
  if (auto settled = commands.settle(); !settled) return settled;
  if (statement.kind != StatementKind::trades)
    if (auto checked = StatementReports(*reader_, commands_).check_balances(statement, {}); !checked) return checked;
  StepStatement end{.statement_id = statement.id, .event = StatementEvent::report_empty};
  end.due_since = claimed_until_;
  end.recorded = matcher->counts().recorded;
  return end_comparison(statement, std::move(end));
}

// Ends the comparison of a statement, which is then no longer missing. Its difference ends first: after a crash between
// the two, the comparison is repeated.
Result<void> StatementService::end_comparison(const Statement& statement, StepStatement end) {
  if (is_complete(statement)) {
    const auto found = StatementReports(*reader_, commands_).report_missing(statement, DifferenceEvent::repair);
    if (!found) return found;
  }
  const auto ended = commands_.require(std::move(end), kPlatform);
  return ended ? Result<void>{} : std::unexpected(ended.error());
}

// Returns the comparison of a statement without its rates, versions and lines.
MatchTask StatementService::task_of(const Claimed& claimed, const Statements& statements, CommandSender& commands) {
  return {.statement = claimed.statement,
          .account = account_of(claimed.statement),
          .plan = statements.statement_plan(),
          .rates = {},
          .earlier = {},
          .reader = *reader_,
          .commands = commands,
          .restore = [this](auto orders) { return restore(orders); },
          .renew_claim = [this, claimed] { return renew_claim(claimed); },
          .read_again = [this, claimed, &statements](
                            const Statement& other,
                            const TakeLine& take) { return read_again(claimed, other, statements, take); }};
}

// Records that the channel has not provided the statement in time.
Result<void> StatementService::report_if_late(const Statement& statement, const StatementPlan& plan) {
  const bool is_outstanding = statement_machine.due_effect(statement.state) == StatementEffect::download;
  const bool is_late = options_.clock.now() >= late_at(plan, statement.date);
  return is_outstanding && is_late
             ? StatementReports(*reader_, commands_).report_missing(statement, DifferenceEvent::find)
             : Result<void>{};
}

// Reads the whole file once before the first line is compared, so that a malformed file changes nothing. A file that
// exceeds its budget is rejected: it exceeds it on every server. A stop of the server rejects nothing.
Result<void> StatementService::match(const Statement& statement, const Statements& statements) {
  claimed_until_ = statement.due_at.value_or(Time{});
  if (auto claimed = step(statement, StatementEvent::match); !claimed) return std::unexpected(claimed.error());
  const StatementPlan& plan = statements.statement_plan();
  const auto file = open_file(options_.key, statement, *reader_);
  if (!file) return note_failure(statement, plan, file.error());
  std::vector<StatementSums> sums;
  LineIndexBuilder index(options_.key, statement.sha256, statement.channel_account_id);
  const bool is_indexed = statement.index_parts > 0;
  ParseBudget budget(file->size(), thread_.stop_token());
  const auto checked = check_file(statement, statements, *file, budget, sums, is_indexed ? nullptr : &index);
  if (budget.is_stopped()) return fail(std::string(kServerStops));  // repeated when the claim ends
  if (!is_indexed) log_unindexed(statement, store_index(statement, index));
  if (!checked) return reject(statement, checked.error());
  auto ended = compare_all(statement, statements, *file, std::move(sums));
  return ended ? finish(statement, *std::move(ended)) : note_failure(statement, plan, ended.error());
}

// The file cannot be used. Returns why.
Result<void> StatementService::reject(const Statement& statement, const Error& why) {
  if (statement.source == StatementSource::fetched)
    if (auto reported = StatementReports(*reader_, commands_).report_missing(statement, DifferenceEvent::find);
        !reported)
      return reported;
  const auto rejected = step(statement, StatementEvent::reject, why.message);
  return std::unexpected(rejected ? why : rejected.error());
}

// The comparison failed; it is repeated when the claim ends. The same failure is stored once, so that the repetitions
// write no further events. Returns why it failed.
Result<void> StatementService::note_failure(const Statement& statement, const StatementPlan& plan, const Error& why) {
  if (thread_.is_stopping()) return std::unexpected(why);
  ++counters_.comparison_failures;
  if (statement.failure != why.message) {
    const StepStatement failed{.statement_id = statement.id,
                               .event = StatementEvent::not_ready,
                               .due_since = claimed_until_,
                               .due_at = claimed_until_,
                               .failure = why.message};
    if (auto noted = commands_.require(failed, kPlatform); !noted) return std::unexpected(noted.error());
  }
  if (auto reported = uncompared_.report_if_late(*reader_, statement, plan, options_.clock.now()); !reported)
    return reported;
  return std::unexpected(why);
}

// Ends the comparison.
Result<void> StatementService::finish(const Statement& statement, StepStatement finish) {
  finish.due_since = claimed_until_;
  counters_.differences += static_cast<std::uint64_t>(finish.differences);
  if (auto ended = end_comparison(statement, std::move(finish)); !ended) return ended;
  uncompared_.forget(statement.id);
  return {};
}

// Compares the lines and the balances with the books. Returns the command that ends the comparison. Afterwards all
// matches and differences are committed.
Result<StepStatement> StatementService::compare_all(const Statement& statement, const Statements& statements,
                                                    const std::string& file, std::vector<StatementSums> sums) {
  const auto rates = reader_->channel_rates();
  if (!rates) return std::unexpected(rates.error());
  const auto earlier = earlier_versions(*reader_, statement);
  if (!earlier) return std::unexpected(earlier.error());
  std::vector<StatementId> earlier_ids;
  for (const Statement& row : *earlier) earlier_ids.push_back(row.id);
  EngineCommandSender commands = new_sender();
  std::optional<StatementAggregate> newest;
  if (!earlier->empty()) {
    auto read = reader_->statement(earlier->front().id);
    if (!read) return std::unexpected(read.error());
    newest = std::move(*read);
  }
  const Claimed claimed{statement, StatementEvent::match};
  MatchTask task = task_of(claimed, statements, commands);
  task.rates = *rates;
  task.earlier = earlier_ids;
  task.lines = lines_in(sums);
  const auto matcher = make_matcher(task, newest ? &*newest : nullptr);
  std::int64_t counted = 0;
  const auto count_lines = [&] {
    counters_.lines += static_cast<std::uint64_t>(matcher->counts().lines - counted);
    counted = matcher->counts().lines;
  };
  const StatementFiles files{.read = [&](const Statement& one, const TakeLine& take) -> Result<void> {
                               if (one.id != statement.id) return read_earlier(claimed, one, statements, take);
                               return read_lines(claimed, one, file, statements, [&](StatementLine&& line) {
                                 auto taken = take(std::move(line));
                                 count_lines();
                                 return taken;
                               });
                             },
                             .has_file = [this](const Statement& one) { return has_file(*reader_, one.id); }};
  const auto compared = compare_lines(statement, *earlier, *matcher, files);
  count_lines();
  if (!compared) return std::unexpected(compared.error());
  if (statement.kind != StatementKind::trades && is_complete(statement))
    if (auto checked = StatementReports(*reader_, commands_).check_balances(statement, sums); !checked)
      return std::unexpected(checked.error());
  if (auto settled = commands.settle(); !settled) return std::unexpected(settled.error());
  return finish_of(statement, *matcher, std::move(sums), statements.statement_plan(), options_.policy);
}

Result<void> StatementService::store_index(const Statement& statement, LineIndexBuilder& index) {
  IndexStatement command{.statement_id = statement.id, .sha256 = statement.sha256, .parts = index.finish()};
  const auto stored = commands_.require(std::move(command), kPlatform);
  return stored ? Result<void>{} : std::unexpected(stored.error());
}

// Indexes the lines of a stored file without comparing them. A malformed file is indexed up to its malformed line.
Result<void> StatementService::index(const Statement& statement) {
  const auto is_stored = has_file(*reader_, statement.id);
  if (!is_stored) return std::unexpected(is_stored.error());
  if (!*is_stored) return {};
  const auto file = open_file(options_.key, statement, *reader_);
  if (!file) return std::unexpected(file.error());
  LineIndexBuilder index(options_.key, statement.sha256, statement.channel_account_id);
  std::vector<StatementSums> sums;
  ParseBudget budget(file->size(), thread_.stop_token());
  (void)check_file(statement, *find_statements(options_.sources, statement.channel), *file, budget, sums, &index);
  if (budget.is_stopped()) return fail(std::string(kServerStops));
  return store_index(statement, index);
}

// Returns false if the index cannot be made.
bool StatementService::try_to_index(const Statement& statement) {
  const auto indexed = index(statement);
  log_unindexed(statement, indexed);
  return indexed.has_value();
}

// Indexes a statement whose comparison waits. After a failure, the statement is in `unindexable` of each round, and is
// not tried again as long as it waits.
void StatementService::index_waiting(const Statement& statement, std::set<StatementId>& unindexable) {
  if (statement.index_parts > 0) return;
  if (unindexable_.contains(statement.id) || !try_to_index(statement)) unindexable.insert(statement.id);
}

// Indexes one stored file of a version before the index. Looks once after the start, from the newest file to the
// oldest, so a file that cannot be indexed is tried again after the next start. Returns whether there may be more.
bool StatementService::index_next() {
  if (!unindexed_) return false;
  const auto page = reader_->statements({}, *unindexed_);
  if (!page) {
    reader_.reset();
    return false;
  }
  for (const Statement& statement : page->rows) {
    unindexed_->after = statement.id.value;
    const bool is_due = statement_machine.due_effect(statement.state) == StatementEffect::match;
    const bool has_index = statement.parts == 0 || statement.index_parts > 0;
    const bool is_rejected = statement.state == StatementState::rejected;
    if (has_index || is_due || is_rejected || !options_.sources.contains(statement.channel)) continue;
    try_to_index(statement);
    return true;
  }
  if (!page->has_more) unindexed_.reset();
  return page->has_more;
}

Result<void> StatementService::check_file(const Statement& statement, const Statements& statements,
                                          const std::string& file, ParseBudget& budget,
                                          std::vector<StatementSums>& sums, LineIndexBuilder* index) {
  std::size_t lines = 0;
  auto parsed = statements.parse(call_of(statement), file, budget, [&](StatementLine&& line) {
    if (index != nullptr) index->add(line);
    return ++lines <= limits::kStatementLinesMax;
  });
  if (!parsed) return std::unexpected(parsed.error());
  if (lines > limits::kStatementLinesMax)
    return fail(fmt::format("the statement has more than {} lines", limits::kStatementLinesMax));
  sums = std::move(*parsed);
  return {};
}

// Passes on the lines of a file, for a comparison whose claim is renewed.
Result<void> StatementService::read_lines(const Claimed& claimed, const Statement& of, const std::string& file,
                                          const Statements& statements, const TakeLine& take) {
  Result<void> taken;
  ParseBudget budget(file.size(), thread_.stop_token());
  const auto parsed = statements.parse(call_of(of), file, budget, [&](StatementLine&& line) {
    taken = renew_claim(claimed);
    if (taken) taken = thread_.is_stopping() ? fail(std::string(kServerStops)) : take(std::move(line));
    return taken.has_value();
  });
  return taken && !parsed ? std::unexpected(parsed.error()) : taken;
}

// Passes on the lines of another statement. An expired file is an error: lines of funds that an earlier version
// contains are posted, and without it they would be posted again.
Result<void> StatementService::read_earlier(const Claimed& claimed, const Statement& earlier,
                                            const Statements& statements, const TakeLine& take) {
  const auto file = open_file(options_.key, earlier, *reader_);
  return file ? read_lines(claimed, earlier, *file, statements, take) : std::unexpected(file.error());
}

// Passes on the lines of a statement of another day, for a comparison whose claim is renewed; none if its file has
// expired.
Result<void> StatementService::read_again(const Claimed& claimed, const Statement& other, const Statements& statements,
                                          const TakeLine& take) {
  const auto is_stored = has_file(*reader_, other.id);
  if (!is_stored) return std::unexpected(is_stored.error());
  if (!*is_stored) return {};
  const auto renewed = step(claimed.statement, claimed.event);
  return renewed ? read_earlier(claimed, other, statements, take) : std::unexpected(renewed.error());
}

EngineCommandSender StatementService::new_sender() {
  return EngineCommandSender(
      options_.engine, [this](Duration pause) { return thread_.sleep(pause); }, CauseKind::statement);
}

}  // namespace finality
