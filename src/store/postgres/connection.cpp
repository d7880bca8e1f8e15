#include "store/postgres/connection.h"

#include <fmt/format.h>
#include <unistd.h>

#include <random>

#include "store/postgres/deadline.h"

namespace finality::postgres {
namespace {

constexpr int kOldestServer = 130'000;

const SqlStatement kSet{{.name = "connection.set",
                         .purpose = "Sets time limits and planner settings",
                         .text = "SELECT set_config($1, $2, false)"}};
const SqlStatement kLimitTime{{.name = "session.limit_time",
                               .purpose = "Limits the time of each statement of a transaction",
                               .text = "SELECT set_config('statement_timeout', $1, true)"}};
const SqlStatement kKeepDurability{
    {.name = "connection.keep_durability",
     .purpose = "Pins synchronous_commit, so that a configuration reload cannot change it",
     .text = "SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), false)"}};
const SqlStatement kShowServer{
    {.name = "connection.show_server",
     .purpose = "Reads the server's durability settings, encoding, recovery state and current schema",
     .text = "SELECT current_setting('synchronous_commit'), current_setting('fsync'), "
             "current_setting('server_encoding'), CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE 'primary' END, "
             "coalesce(current_schema(), '')"}};

std::string trimmed(const char* message) {
  std::string text = message != nullptr ? message : "";
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

void keep_warning(void* kept, const PGresult* result) {
  const char* severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != nullptr && std::string_view(severity) == "WARNING")
    *static_cast<std::string*>(kept) = trimmed(PQresultErrorMessage(result));
}

Failure failure_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return {.state = state != nullptr ? state : "", .message = trimmed(PQresultErrorMessage(result))};
}

// Returns advice for connection errors whose libpq message contains none; empty for other errors.
std::string_view advice_on(std::string_view why) {
  if (why.find("certificate verify failed") != std::string_view::npos)
    return ". Name the file of the CA that signed the server's certificate: sslrootcert in the store's URL";
  if (why.find("password authentication failed") != std::string_view::npos)
    return ". Correct the password in ~/.pgpass or in the store's URL";
  return "";
}

Reply wrap(PGresult* result) { return Reply(result); }

std::string milliseconds(Duration time) { return std::to_string(time.count()); }

}  // namespace

std::size_t Reply::affected() const {
  const std::string text = PQcmdTuples(result_.get());
  return text.empty() ? 0 : std::stoull(text);
}

Connection::Connection(PGconn* handle, Duration reply_timeout) : handle_(handle), reply_timeout_(reply_timeout) {
  PQsetNoticeReceiver(handle_, keep_warning, &warning_);
}

Connection::~Connection() { PQfinish(handle_); }

Result<std::unique_ptr<Connection>> Connection::open(const ConnectionOptions& options, Use use) {
  // libpq expands `dbname` as a URL. Settings in the URL override the entries before dbname, but not client_encoding.
  const std::string silence = milliseconds(options.timing.silence);
  const std::pair<const char*, const char*> settings[] = {{"connect_timeout", "5"},
                                                          {"keepalives_idle", "10"},
                                                          {"keepalives_interval", "5"},
                                                          {"keepalives_count", "3"},
                                                          {"tcp_user_timeout", silence.c_str()},
                                                          {"fallback_application_name", "finality"},
                                                          {"dbname", options.conninfo.c_str()},
                                                          {"client_encoding", "UTF8"}};
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : settings) {
    names.push_back(name);
    values.push_back(value);
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  close_inventory();
  PGconn* handle = PQconnectdbParams(names.data(), values.data(), 1);
  FINALITY_CHECK(handle != nullptr, "out of memory");
  std::unique_ptr<Connection> connection(new Connection(handle, options.timing.silence));
  if (PQstatus(handle) != CONNECTION_OK) {
    const std::string why = trimmed(PQerrorMessage(handle));
    return fail(fmt::format("cannot reach the store: {}{}", why, advice_on(why)));
  }
  if (auto done = connection->set_up(options, use); !done) return std::unexpected(done.error());
  return connection;
}

// Sets the connection's parameters and checks the server. A session repeats the same statements, and their plans must
// use indexes even if a new table has no useful statistics. So a session disables table scans, and the server plans
// each statement once.
Result<void> Connection::set_up(const ConnectionOptions& options, Use use) {
  if (PQserverVersion(handle_) < kOldestServer)
    return fail(
        fmt::format("{} runs PostgreSQL {}. Use PostgreSQL 13 or newer.", place(), PQserverVersion(handle_) / 10'000));
  PQsetnonblocking(handle_, 1);
  PQenterPipelineMode(handle_);
  std::vector<std::pair<std::string, std::string>> settings = {
      {"idle_in_transaction_session_timeout", milliseconds(options.timing.idle_in_transaction)},
      {"lock_timeout", milliseconds(options.timing.lock)},
      {"jit", "off"}};
  if (use != Use::write) {
    settings.insert(settings.end(), {{"default_transaction_read_only", "on"},
                                     {"statement_timeout", milliseconds(options.timing.statement)}});
  } else {
    // A COMMIT that waits for a standby must not time out. PostgreSQL would then acknowledge the COMMIT although no
    // standby has the transaction.
    settings.emplace_back("statement_timeout", "0");
    // Citus selects the shards by parameter values, so it cannot use a generic plan.
    if (!options.distributed) settings.emplace_back("plan_cache_mode", "force_generic_plan");
  }
  if (use != Use::read && !options.distributed)
    settings.insert(settings.end(),
                    {{"enable_seqscan", "off"}, {"enable_hashjoin", "off"}, {"enable_mergejoin", "off"}});
  for (const auto& [name, value] : settings) send(kSet, Parameters(name, value));
  // Sets synchronous_commit to its current value, which check_server() then reads. A later reload of the server's
  // configuration cannot change it.
  if (use == Use::write) send(kKeepDurability);
  send(kShowServer);
  const Replies replies = finish();
  if (!replies) return fail(fmt::format("cannot set up the connection to {}: {}", place(), replies.error().message));
  return check_server(replies->back(), use);
}

Result<void> Connection::check_server(const Reply& settings, Use use) const {
  Cursor row = settings.row(0);
  const auto synchronous_commit = row.read<std::string>();
  const auto fsync = row.read<std::string>();
  const auto encoding = row.read<std::string>();
  const auto standing = row.read<std::string>();
  const auto schema = row.read<std::string>();
  if (encoding != "UTF8")
    return fail(fmt::format("{} is encoded in {}. Create the database with ENCODING 'UTF8'.", place(), encoding));
  if (schema.empty())
    return fail(fmt::format("{} has no current schema. Create the schema that search_path names.", place()));
  if (use != Use::write) return {};
  if (standing == "standby")
    return fail(
        fmt::format("{} is a standby. Name the primary, or all hosts and target_session_attrs=read-write.", place()));
  if (synchronous_commit != "on" && synchronous_commit != "remote_apply")
    return fail(
        fmt::format("{} has synchronous_commit {}: a {} would lose acknowledged commits. Run: "
                    "ALTER ROLE {} SET synchronous_commit = on",
                    place(), synchronous_commit, synchronous_commit == "off" ? "crash" : "failover", PQuser(handle_)));
  if (fsync == "off")
    return fail(
        fmt::format("{} has fsync off: a crash would lose acknowledged commits. Set fsync = on in "
                    "postgresql.conf.",
                    place()));
  return {};
}

std::string Connection::place() const {
  const char* host = PQhost(handle_);
  return fmt::format("the database {} on {}", PQdb(handle_), host != nullptr && *host != '\0' ? host : "this machine");
}

// If `sent` is false, marks the connection as broken and stores libpq's error message. Keeps the message of the first
// failure.
void Connection::note(bool sent) {
  if (sent || !break_.empty()) return;
  break_ = trimmed(PQerrorMessage(handle_));
  if (break_.empty()) break_ = "the connection broke";
}

const std::string& Connection::prepare(const SqlStatement& statement, Form form) {
  if (!statement.has(form)) form = Form::plain;
  std::string& name = prepared_[&statement][static_cast<std::size_t>(form)];
  if (name.empty()) {
    name = fmt::format("s{}", ++names_);
    note(PQsendPrepare(handle_, name.c_str(), statement.text(form).c_str(), 0, nullptr) == 1);
    sent_.push_back({&name});
  }
  return name;
}

void Connection::send(const SqlStatement& statement, const Parameters& parameters, Form form) {
  const std::string& name = prepare(statement, form);
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const auto& value : parameters.values()) {
    values.push_back(value ? value->data() : nullptr);
    lengths.push_back(value ? static_cast<int>(value->size()) : 0);
  }
  const std::vector<int> formats(values.size(), 1);
  note(PQsendQueryPrepared(handle_, name.c_str(), static_cast<int>(values.size()), values.data(), lengths.data(),
                           formats.data(), 1) == 1);
  sent_.push_back({});
}

// Waits until a result is available. Returns false if the connection is broken or the reply timeout has expired.
bool Connection::wait() {
  while (break_.empty()) {
    const int unsent = PQflush(handle_);
    note(unsent >= 0);
    if (PQisBusy(handle_) == 0) return true;
    pollfd ready{PQsocket(handle_), static_cast<short>(POLLIN | (unsent == 1 ? POLLOUT : 0)), 0};
    const int found = ::poll(&ready, 1, static_cast<int>(reply_timeout_.count()));
    if (found == 0) {
      break_ = fmt::format("no reply for {} ms", reply_timeout_.count());
      is_silent_ = true;
    }
    if (found > 0 && (ready.revents & ~POLLOUT) != 0) note(PQconsumeInput(handle_) == 1);
  }
  return false;
}

PGresult* Connection::next_result() { return wait() ? PQgetResult(handle_) : nullptr; }

Failure Connection::broken(std::string message) {
  if (break_.empty()) break_ = message;
  return {.state = {}, .message = std::move(message), .broken = true, .silent = is_silent_};
}

Replies Connection::finish() {
  if (break_.empty()) note(PQpipelineSync(handle_) == 1);
  const std::vector<Sent> sent = std::exchange(sent_, {});
  std::vector<Reply> replies;
  std::optional<Failure> failure;
  std::size_t at = 0;
  for (int nothing = 0; break_.empty();) {
    PGresult* result = next_result();
    if (result == nullptr) {  // null ends a statement's results; two nulls in a row: the connection is closed
      if (++nothing > 1) note(false);
      continue;
    }
    nothing = 0;
    Reply reply = wrap(result);
    const ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) {
      if (failure) return std::unexpected(std::move(*failure));
      return replies;
    }
    if (status == PGRES_FATAL_ERROR && !failure) {
      failure = failure_of(result);
      failure->statement = replies.size();
    }
    // A server process that an administrator terminates sends an error, which is not the reply to a statement.
    if (PQstatus(handle_) != CONNECTION_OK || at == sent.size()) break;
    const bool done = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    if (std::string* prepared = sent[at++].prepared; prepared == nullptr) {
      if (done) replies.push_back(std::move(reply));
    } else if (!done) {
      prepared->clear();
    }
  }
  const std::string why = failure ? failure->message : !break_.empty() ? break_ : trimmed(PQerrorMessage(handle_));
  return std::unexpected(broken(why.empty() ? "the connection broke" : why));
}

std::expected<void, Failure> Connection::set_time_limit(Duration limit) {
  if (auto done = ask(kSet, Parameters(std::string_view("statement_timeout"), milliseconds(limit))); !done)
    return std::unexpected(std::move(done.error()));
  return {};
}

void Connection::limit_time(Duration limit) { send(kLimitTime, Parameters(milliseconds(limit))); }

std::expected<Reply, Failure> Connection::ask(const SqlStatement& statement, const Parameters& parameters) {
  send(statement, parameters);
  Replies replies = finish();
  if (!replies) return std::unexpected(std::move(replies.error()));
  return std::move(replies->front());
}

std::expected<Reply, Failure> Connection::execute(const std::string& sql) {
  FINALITY_CHECK(PQexitPipelineMode(handle_) == 1, "a round trip is under way");
  Reply reply = wrap(PQexec(handle_, sql.c_str()));
  PQenterPipelineMode(handle_);
  const ExecStatusType status = PQresultStatus(reply.raw());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return reply;
  Failure failure = failure_of(reply.raw());
  if (PQstatus(handle_) != CONNECTION_OK) return std::unexpected(broken(failure.message));
  return std::unexpected(std::move(failure));
}

Result<std::unique_ptr<Connection>> reach(const ConnectionOptions& options, Use use, Duration limit) {
  const Deadline deadline(limit);
  std::minstd_rand random(static_cast<unsigned>(::getpid()) ^ static_cast<unsigned>(::gettid()));
  for (Duration longest(20);; longest = std::min(2 * longest, Duration(1000))) {
    auto connection = Connection::open(options, use);
    if (connection || deadline.over()) return connection;
    std::uniform_int_distribution<std::int64_t> pause(longest.count() / 2, longest.count());
    pause_for(std::min(deadline.left(), Duration(pause(random))));
  }
}

bool is_conflict(const Failure& failure) {
  // SQLSTATEs: serialization_failure, deadlock_detected, lock_not_available, unique_violation
  constexpr std::string_view kLost[] = {"40001", "40P01", "55P03", "23505"};
  return std::ranges::find(kLost, failure.state) != std::ranges::end(kLost);
}

std::optional<StoreFault> fault_of(const Failure& failure) {
  // SQLSTATEs: disk_full, read_only_sql_transaction
  constexpr std::pair<std::string_view, StoreFault> kFaults[] = {{"53100", StoreFault::disk_full},
                                                                 {"25006", StoreFault::read_only}};
  const auto found = std::ranges::find(kFaults, failure.state, &std::pair<std::string_view, StoreFault>::first);
  return found == std::ranges::end(kFaults) ? std::nullopt : std::optional(found->second);
}

bool is_shard_failure(const Failure& failure) {
  if (failure.broken) return failure.silent;
  // Classes of SQLSTATE: connection exception, insufficient resources, system error; of a worker, as Citus reports it.
  constexpr std::string_view kClasses[] = {"08", "53", "58"};
  // admin_shutdown, crash_shutdown, cannot_connect_now, query_canceled (a timeout), data_corrupted, index_corrupted
  // and those of a worker that is failing over: read_only_sql_transaction, object_not_in_prerequisite_state
  constexpr std::string_view kStates[] = {"57P01", "57P02", "57P03", "57014", "XX001", "XX002", "25006", "55000"};
  constexpr std::string_view kMessages[] = {"connection to the remote node", "could not establish any connections"};
  return std::ranges::find(kClasses, std::string_view(failure.state).substr(0, 2)) != std::ranges::end(kClasses) ||
         std::ranges::find(kStates, failure.state) != std::ranges::end(kStates) ||
         std::ranges::any_of(kMessages, [&](std::string_view part) { return failure.message.contains(part); });
}

}  // namespace finality::postgres
