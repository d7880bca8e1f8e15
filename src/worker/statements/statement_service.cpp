#include "worker/statements/statement_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "base/limits.h"
#include "base/log.h"
#include "base/thread_name.h"
#include "base/time/date.h"
#include "worker/statements/sealed_file.h"
#include "worker/statements/statement_schedule.h"

namespace finality {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLookEvery = 1s;
constexpr Duration kClaim = 5min;  // of a statement, until another server may work on it
constexpr Duration kDownloadTimeout = 1min;
constexpr std::size_t kDuePerRound = 16;
constexpr std::size_t kVersionsMax = 1000;  // of the statement of a day
constexpr Duration kBusyPause = 50ms;
constexpr Duration kStopCheck = 100ms;  // while a request waits for the channel
constexpr int kLinesPerClaim = 20'000;  // lines that are compared until the claim is renewed
constexpr Duration kWaitingEvery = 1h;  // between two counts of unconfirmed payments and refunds
constexpr std::size_t kDifferencesPerPage = 1000;
constexpr std::string_view kStopped = "the server stops";

StatementCall call_of(const Statement& statement) {
  return {.kind = statement.kind, .funds_account = statement.funds_account, .date = statement.date};
}

StatementDay day_of(const Statement& statement) {
  return {statement.channel_account_id, statement.channel, statement.kind, statement.funds_account, statement.date};
}

bool is_fetch(const Statement& statement) {
  return statement_machine.due_effect(statement.state) == StatementEffect::download || statement.is_fetched_again;
}

// The kinds that are compared with the books.
bool is_compared(StatementKind kind) { return kind == StatementKind::trades; }

std::vector<std::string_view> funds_accounts(const StatementPlan& plan, StatementKind kind) {
  if (kind != StatementKind::funds || plan.funds_accounts.empty()) return {""};
  return {plan.funds_accounts.begin(), plan.funds_accounts.end()};
}

}  // namespace

StatementService::StatementService(StatementServiceOptions options) : options_(std::move(options)) {}

StatementService::~StatementService() { stop(); }

void StatementService::start() {
  thread_ = std::jthread([this] {
    name_thread("statements");
    do {
      while (work() && !is_stopping_) continue;
    } while (!sleep(options_.policy.scaled(kLookEvery)));
  });
}

void StatementService::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stopping_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Returns true at once when the service stops.
bool StatementService::sleep(Duration pause) {
  std::unique_lock lock(mutex_);
  return stopping_.wait_for(lock, pause, [this] { return is_stopping_; });
}

bool StatementService::work() {
  if (!reader_) {
    auto reader = options_.store.open_reader();
    if (!reader) return false;
    reader_ = std::move(*reader);
  }
  const Time now = options_.clock.now();
  expect_all(now);
  count_waiting(now);
  const auto due = reader_ ? reader_->due_statements(now, kDuePerRound) : fail("no reader");
  if (!due) {
    reader_.reset();
    return false;
  }
  bool worked = false;
  for (const Statement& statement : *due) {
    if (find_channel(options_.channels, statement.channel) == nullptr) continue;  // another server has the channel
    handle(statement);
    worked = true;
    if (!reader_ || sleep(0ms)) return false;
  }
  return worked;
}

void StatementService::expect_all(Time now) {
  for (const auto& channel : options_.channels) {
    const Statements* statements = channel->statements();
    const auto account = options_.policy.accounts.find(channel->name());
    if (statements == nullptr || account == options_.policy.accounts.end()) continue;
    if (auto done = expect(account->second, *statements, now); !done && !sleep(0ms))
      log::warn("cannot expect statements", {{"channel", channel->name()}, {"error", done.error().message}});
  }
}

Result<void> StatementService::expect(const ChannelAccount& account, const Statements& statements, Time now) {
  const StatementPlan& plan = statements.statement_plan();
  const auto days = expected_days(plan, account.created_at, now);
  if (!days) return {};
  for (const StatementKind kind : plan.kinds) {
    if (!is_compared(kind)) continue;
    for (const std::string_view funds : funds_accounts(plan, kind)) {
      std::string& last = expected_[fmt::format("{} {} {}", account.channel, name_of(kind), funds)];
      for (std::string date = last.empty() ? days->first : add_days(last, 1); date <= days->last;
           date = add_days(date, 1)) {
        const StatementDay day{account.id, account.channel, kind, std::string(funds), date};
        const auto known =
            reader_->newest_statement(account.id, kind, day.funds_account, date, StatementSource::fetched);
        if (!known) return std::unexpected(known.error());
        if (!*known) {
          ExpectStatement command;
          command.day = day;
          command.due_at = ready_at(plan, date);
          if (auto reply = require(std::move(command), kPlatform); !reply) return std::unexpected(reply.error());
        }
        last = date;
      }
    }
  }
  return {};
}

void StatementService::handle(const Statement& statement) {
  const Channel& channel = *find_channel(options_.channels, statement.channel);
  const bool is_download = is_fetch(statement);
  const Result<void> done = is_download ? download(statement, channel) : match(statement, channel);
  if (done || sleep(0ms)) return;
  log::warn(is_download ? "cannot download a statement" : "cannot compare a statement with the books",
            {{"statement", to_text(statement.id)},
             {"channel", statement.channel},
             {"date", statement.date},
             {"error", done.error().message}});
}

// Counts the payments and refunds that no statement has confirmed in limits::kArchivedAfter, once per kWaitingEvery.
// Their orders cannot be archived.
void StatementService::count_waiting(Time now) {
  if (now < count_waiting_at_ || !reader_) return;
  count_waiting_at_ = now + kWaitingEvery;
  const std::string until = date_of(now - limits::kArchivedAfter, std::chrono::minutes(0));
  std::int64_t count = 0;
  for (const DifferenceState state : {DifferenceState::open, DifferenceState::carried}) {
    const auto waiting = waiting_in(state, until);
    if (!waiting) return log::warn("cannot count unconfirmed documents", {{"error", waiting.error().message}});
    count += *waiting;
  }
  counters_.waiting = count;
}

Result<std::int64_t> StatementService::waiting_in(DifferenceState state, const std::string& until) {
  std::int64_t count = 0;
  const DifferenceFilter filter{.to = until, .state = state};
  for (Page page{.limit = kDifferencesPerPage};;) {
    const auto listed = reader_->differences(filter, page);
    if (!listed) return std::unexpected(listed.error());
    count += std::ranges::count_if(listed->rows, [](const Difference& row) { return row.document_id != 0; });
    if (!listed->has_more) return count;
    page.after = listed->rows.back().id.value;
  }
}

// Restores an archived order, so that its line can be compared. If that fails, the line becomes a difference, and the
// other lines are still compared.
Result<bool> StatementService::restore(const ArchivedOrder& order) {
  if (options_.restorer == nullptr) return false;
  const auto restored = options_.restorer->restore_and_wait(order);
  if (!restored && sleep(0ms)) return fail(std::string(kStopped));
  return restored.has_value();
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
    const Statements& statements = *find_channel(options_.channels, statement.channel)->statements();
    const auto next = next_download(statements.statement_plan(), statement.date, now);
    command.due_at = now + options_.policy.scaled(next ? *next - now : Duration(24h));
  }
  return require(std::move(command), kPlatform);
}

Result<void> StatementService::download(const Statement& statement, const Channel& channel) {
  const Statements* statements = channel.statements();
  if (statements == nullptr) return fail("the channel provides no statements");
  claimed_until_ = statement.due_at.value_or(Time{});
  if (auto claimed = step(statement, StatementEvent::fetch); !claimed) return std::unexpected(claimed.error());
  ++counters_.downloads;
  NoStatement none{.is_empty_day = false, .code = {}};
  const auto file = fetch_file(call_of(statement), *statements, none);
  if (!file) {
    ++counters_.download_failures;
    if (auto reported = report_if_late(statement, channel); !reported) return reported;
    const Result<Reply> noted = step(statement, StatementEvent::not_ready, file.error().message);
    if (!noted) return std::unexpected(noted.error());
    return std::unexpected(file.error());
  }
  if (file->empty()) return note_missing(statement, channel, none);
  ReceiveStatement command{.day = day_of(statement), .newest = statement.id, .source = StatementSource::fetched};
  command.sha256 = sha256_hex(*file);
  command.bytes = static_cast<std::int64_t>(file->size());
  command.parts = seal_file(options_.key, command.sha256, *file);
  const auto received = require(std::move(command), kPlatform);
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
  return statements.file_of(link, send(link.download, limits::kStatementBytesMax));
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
    if (sleep(0ms)) return {.http = {}, .failure = std::string(kStopped)};
  net::CallResult result = answer.get();
  if (!result.answered) return {.http = {}, .failure = std::move(result.failure)};
  return {.http = std::move(result.response), .failure = {}};
}

// The channel has no statement of the day. Before a day is empty, the books are searched for its payments.
Result<void> StatementService::note_missing(const Statement& statement, const Channel& channel,
                                            const NoStatement& none) {
  const StatementPlan& plan = channel.statements()->statement_plan();
  const bool is_known = statement.state == StatementState::expected || statement.state == StatementState::downloading ||
                        statement.state == StatementState::empty;
  const Time now = options_.clock.now();
  if (!none.is_empty_day || !is_known || now < ready_at(plan, statement.date)) {
    if (auto reported = report_if_late(statement, channel); !reported) return reported;
    const auto noted = step(statement, StatementEvent::not_ready, "the channel has no statement yet: " + none.code);
    return noted ? Result<void>{} : std::unexpected(noted.error());
  }
  StatementMatcher matcher(
      {.statement = statement,
       .account = account_of(statement),
       .plan = plan,
       .rates = {},
       .reader = *reader_,
       .submit = [this](Command command, MerchantId merchant) { return submit(std::move(command), merchant); }});
  if (is_compared(statement.kind))
    if (auto found = matcher.find_missing(); !found) return found;
  const auto ended = step(statement, StatementEvent::report_empty);
  return ended ? report_late(statement, DifferenceEvent::repair) : std::unexpected(ended.error());
}

// Records that the channel has not provided the statement in time.
Result<void> StatementService::report_if_late(const Statement& statement, const Channel& channel) {
  const bool is_outstanding = statement_machine.due_effect(statement.state) == StatementEffect::download;
  const bool is_late = options_.clock.now() >= late_at(channel.statements()->statement_plan(), statement.date);
  return is_outstanding && is_late ? report_late(statement, DifferenceEvent::find) : Result<void>{};
}

// Records that the statement is missing or cannot be used, or that it has been compared.
Result<void> StatementService::report_late(const Statement& statement, DifferenceEvent event) {
  RecordDifference command;
  Difference& row = command.difference;
  row.merchant_id = kPlatform;
  row.channel_account_id = statement.channel_account_id;
  row.date = statement.date;
  row.difference_class = DifferenceClass::statement_missing;
  row.statement_id = statement.id;
  row.subject = fmt::format("{} {} {}", name_of(statement.kind), statement.funds_account, statement.date);
  command.subject = "statement " + row.subject;
  command.event = event;
  const auto known = reader_->named(key_of_difference(kPlatform, statement.channel_account_id, command.subject));
  if (!known) return std::unexpected(known.error());
  command.known = DifferenceId{*known};
  if (event == DifferenceEvent::repair && !command.known) return {};
  if (event == DifferenceEvent::repair) command.repaired_by = statement.id;
  const auto reply = require(std::move(command), kPlatform);
  return reply ? Result<void>{} : std::unexpected(reply.error());
}

// Reads the whole file once before the first line is compared, so that a malformed file changes nothing.
Result<void> StatementService::match(const Statement& statement, const Channel& channel) {
  const Statements* statements = channel.statements();
  if (statements == nullptr) return fail("the channel provides no statements");
  claimed_until_ = statement.due_at.value_or(Time{});
  if (auto claimed = step(statement, StatementEvent::match); !claimed) return std::unexpected(claimed.error());
  const auto file = open_file(options_.key, statement, *reader_);
  if (!file) return std::unexpected(file.error());
  StepStatement finish{.statement_id = statement.id, .event = StatementEvent::finish};
  if (auto checked = check_file(statement, *statements, *file, finish.sums); !checked) {
    if (statement.source == StatementSource::fetched)
      if (auto reported = report_late(statement, DifferenceEvent::find); !reported) return reported;
    const auto rejected = step(statement, StatementEvent::reject, checked.error().message);
    return rejected ? checked : std::unexpected(rejected.error());
  }
  const auto rates = reader_->channel_rates();
  if (!rates) return std::unexpected(rates.error());
  const auto earlier = earlier_versions(statement);
  if (!earlier) return std::unexpected(earlier.error());
  std::vector<StatementId> earlier_ids;
  for (const Statement& row : *earlier) earlier_ids.push_back(row.id);
  StatementMatcher matcher(
      {.statement = statement,
       .account = account_of(statement),
       .plan = statements->statement_plan(),
       .rates = *rates,
       .earlier = earlier_ids,
       .reader = *reader_,
       .submit = [this](Command command, MerchantId merchant) { return submit(std::move(command), merchant); },
       .restore = [this](const ArchivedOrder& order) { return restore(order); }});
  if (auto compared = compare(statement, *statements, matcher, *file, *earlier); !compared) return compared;
  const MatchCounts& counts = matcher.counts();
  finish.due_since = claimed_until_;
  finish.lines = counts.lines;
  finish.matched = counts.matched;
  finish.repaired = counts.repaired;
  finish.carried = counts.carried;
  finish.differences = counts.differences;
  finish.recorded = counts.recorded;
  counters_.differences += static_cast<std::uint64_t>(counts.differences);
  if (auto finished = require(std::move(finish), kPlatform); !finished) return std::unexpected(finished.error());
  const bool is_fetched = statement.source == StatementSource::fetched;
  return is_fetched ? report_late(statement, DifferenceEvent::repair) : Result<void>{};
}

Result<void> StatementService::check_file(const Statement& statement, const Statements& statements,
                                          const std::string& file, std::vector<StatementSums>& sums) {
  std::size_t lines = 0;
  auto parsed = statements.parse(call_of(statement), file,
                                 [&](StatementLine&&) { return ++lines <= limits::kStatementLinesMax; });
  if (!parsed) return std::unexpected(parsed.error());
  if (lines > limits::kStatementLinesMax)
    return fail(fmt::format("the statement has more than {} lines", limits::kStatementLinesMax));
  sums = std::move(*parsed);
  return {};
}

Result<void> StatementService::compare(const Statement& statement, const Statements& statements,
                                       StatementMatcher& matcher, const std::string& file,
                                       const std::vector<Statement>& earlier) {
  if (!is_compared(statement.kind)) return {};
  if (!earlier.empty())
    (void)statements.parse(call_of(statement), file, [&matcher](StatementLine&& line) {
      matcher.note(line);
      return true;
    });
  Result<void> compared;
  const auto add = [&](StatementLine&& line) {
    ++counters_.lines;
    if (line.line_no % kLinesPerClaim == 0)
      if (auto claimed = step(statement, StatementEvent::match); !claimed) compared = std::unexpected(claimed.error());
    if (compared) compared = sleep(0ms) ? fail(std::string(kStopped)) : matcher.add(std::move(line));
    return compared.has_value();
  };
  if (auto parsed = statements.parse(call_of(statement), file, add); compared && !parsed)
    return std::unexpected(parsed.error());
  if (compared) compared = matcher.finish_lines();
  if (compared && !earlier.empty()) compared = compare_earlier(earlier.front(), statements, matcher);
  // An uploaded file may be incomplete, so it says nothing about what it does not contain.
  const bool is_complete = statement.source == StatementSource::fetched;
  return compared && is_complete ? matcher.find_missing() : compared;
}

// Returns the compared versions before this one, newest first. An uploaded file may be incomplete, so it has none.
Result<std::vector<Statement>> StatementService::earlier_versions(const Statement& statement) {
  if (statement.source == StatementSource::uploaded || statement.file_version == 1) return std::vector<Statement>{};
  const StatementFilter filter{.channel_account_id = statement.channel_account_id,
                               .kind = statement.kind,
                               .from = statement.date,
                               .to = statement.date,
                               .state = StatementState::matched};
  auto versions = reader_->statements(filter, {.limit = kVersionsMax});
  if (!versions) return std::unexpected(versions.error());
  std::erase_if(versions->rows, [&](const Statement& row) {
    return row.source != statement.source || row.file_version >= statement.file_version ||
           row.funds_account != statement.funds_account;
  });
  return std::move(versions->rows);
}

// Compares with the lines of an earlier version. Without its file, which may have expired, withdrawn lines are not
// found; matches of lines that changed are still replaced.
Result<void> StatementService::compare_earlier(const Statement& earlier, const Statements& statements,
                                               StatementMatcher& matcher) {
  const auto first = reader_->statement_part(earlier.id, 0);
  if (!first) return std::unexpected(first.error());
  if (!*first) {
    log::info("earlier version not compared: its file has expired", {{"statement", to_text(earlier.id)}});
    return {};
  }
  const auto file = open_file(options_.key, earlier, *reader_);
  if (!file) return std::unexpected(file.error());
  Result<void> compared;
  const auto parsed = statements.parse(call_of(earlier), *file, [&](StatementLine&& line) {
    compared = matcher.add_earlier(line);
    return compared.has_value();
  });
  return compared && !parsed ? std::unexpected(parsed.error()) : compared;
}

// Submits a command that the engine must not refuse.
Result<Reply> StatementService::require(Command command, MerchantId merchant) {
  auto reply = submit(std::move(command), merchant);
  return reply && reply->refusal ? fail(reply->refusal->detail) : reply;
}

// Returns the reply, which can be a refusal. Repeats the command while the engine is busy.
Result<Reply> StatementService::submit(Command command, MerchantId merchant) {
  while (true) {
    auto answer = std::make_shared<std::promise<Reply>>();
    Request request;
    request.command = command;
    request.merchant_id = merchant;
    request.cause = {.kind = CauseKind::statement};
    request.reply = [answer](Reply reply) { answer->set_value(std::move(reply)); };
    options_.engine.submit(std::move(request));
    Reply reply = answer->get_future().get();
    if (!should_retry(reply)) return reply;
    if (sleep(kBusyPause)) return fail(std::string(kStopped));
  }
}

}  // namespace finality
