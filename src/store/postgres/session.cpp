#include "store/postgres/session.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/time/checked_clock.h"
#include "store/postgres/deadline.h"
#include "store/postgres/distribute.h"
#include "store/postgres/expire.h"
#include "store/postgres/load.h"
#include "store/postgres/node_lease.h"
#include "store/postgres/write.h"

namespace finality::postgres {
namespace {

constexpr Duration kRetryPause = std::chrono::milliseconds(100);
const SqlStatement kBegin{{.name = "session.begin",
                           .purpose = "Begins the transaction of a batch",
                           .text = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"}};
const SqlStatement kCommit{{.name = "session.commit", .purpose = "Commits a batch", .text = "COMMIT"}};
const SqlStatement kRollback{{.name = "session.rollback", .purpose = "Rolls back a batch", .text = "ROLLBACK"}};
const SqlStatement kFence{{.name = "node.fence",
                           .shards = Shards::node,
                           .tables = "nodes",
                           .purpose = "Begins a deletion: updates no row when another process holds the lease",
                           .text = "UPDATE nodes SET last_batch = last_batch WHERE number = $1 AND token = $2"}};
const SqlStatement kLimitNothing{{.name = "session.limit_nothing",
                                  .purpose = "Removes the time limit, so that no timeout cancels the COMMIT",
                                  .text = "SELECT set_config('statement_timeout', '0', true)"}};

constexpr Duration kPartingWait = std::chrono::seconds(1);  // limit on waiting for a reply when the session closes

class PostgresSession final : public Session {
 public:
  explicit PostgresSession(ConnectionOptions options) : options_(std::move(options)) {}
  ~PostgresSession() override;

  std::int64_t node() const override { return node_.number; }
  Time ids_not_before() const override { return node_.ids_until; }

  Result<void> load(const ReadSet& reads, WorkingSet& rows) override;
  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override;
  void discard() override;
  Result<std::unique_ptr<Flusher>> flush_apart() override { return nullptr; }  // other processes read its commits
  Result<void> lease() override;
  CommitResult renew() override;
  Expired expire(const ExpireStep& step) override;
  bool has_failed_in_part() const override { return has_failed_in_part_; }
  Result<std::vector<StorePart>> parts_of(const std::vector<MerchantId>& merchants) override;

 private:
  /// The variant of the statements of a batch. Citus cannot lock rows across shards, so in a distributed store
  /// conflicts are detected by root versions only.
  Form form() const { return options_.distributed ? Form::sharded : options_.lock_roots ? Form::locking : Form::plain; }
  Result<void> connect();
  /// The monotonic time before a statement that returns the database's time, for compare_clock().
  Duration asked_at() const { return options_.clock != nullptr ? options_.clock->steady() : Duration{0}; }
  void compare_clock(Time database_now, Duration asked_at) {
    if (options_.clock != nullptr) options_.clock->compare(database_now, asked_at);
  }
  std::size_t begin();
  std::expected<void, Failure> load_once(const ReadSet& reads, WorkingSet& rows);
  Failure give_up(Failure failure);
  CommitResult result_of(const Failure& failure);
  bool note_shard_failure(const Failure& failure);
  Duration statement_limit() const;
  void limit_replies(Duration limit);
  void replies_unlimited();
  CommitResult undo(CommitOutcome outcome, std::string message);
  std::optional<CommitResult> write(const WorkingSet& rows, const IdGenerator& ids);
  CommitResult end();
  CommitResult resolve_commit(std::string why);

  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;  // null while it is broken
  bool in_transaction_ = false;
  NodeLease node_;
  Time latest_id_;          // the time of the last id that a batch may have written
  std::int64_t batch_ = 0;  // sequence number of the batch that is being committed
  bool has_failed_in_part_ = false;
  std::optional<Deadline> brief_until_;  // set by a failed shard: statements get less time until then
};

PostgresSession::~PostgresSession() {
  if (connection_) connection_->set_reply_timeout(kPartingWait);
  discard();
  if (!connection_) return;
  connection_->set_reply_timeout(kPartingWait);
  release_node(*connection_, node_, latest_id_);
}

Result<void> PostgresSession::connect() {
  if (connection_) return {};
  auto connection = reach(options_, Use::write, options_.timing.reconnect);
  if (!connection) return std::unexpected(connection.error());
  connection_ = std::move(*connection);
  return {};
}

// Adds the statements that begin a transaction to the round trip, unless a transaction is open. Returns the number of
// added statements.
std::size_t PostgresSession::begin() {
  if (in_transaction_) return 0;
  in_transaction_ = true;
  const Duration limit = statement_limit();
  limit_replies(limit);
  connection_->send(kBegin);
  connection_->limit_time(limit);
  return 2;
}

// Sets the reply timeout for statements with the time limit. The server cancels a statement at the limit; the margin is
// for a server that does not. The caller calls replies_unlimited() after these statements.
void PostgresSession::limit_replies(Duration limit) {
  const Duration silence = options_.timing.silence;
  connection_->set_reply_timeout(limit < options_.timing.statement ? std::min(silence, 2 * limit) : silence);
}

// Ends the effect of limit_replies(): the timeout must not apply to a later COMMIT or to a renewal of the lease.
void PostgresSession::replies_unlimited() {
  if (connection_) connection_->set_reply_timeout(options_.timing.silence);
}

// While a shard has failed recently, statements get less time. Otherwise each attempt to use the shard would stop the
// lane for the whole time limit of a statement.
Duration PostgresSession::statement_limit() const {
  return brief_until_ && !brief_until_->over() ? std::min(options_.timing.part_probe, options_.timing.statement)
                                               : options_.timing.statement;
}

// Returns whether the failure concerns a shard of a distributed store, and records it for has_failed_in_part().
bool PostgresSession::note_shard_failure(const Failure& failure) {
  has_failed_in_part_ = options_.distributed && is_shard_failure(failure);
  if (has_failed_in_part_) brief_until_ = Deadline(2 * options_.timing.part_refused_for);  // longer than the pause
  return has_failed_in_part_;
}

// Ends the transaction after a failed round trip: rolls it back, or drops the connection if it is broken. Returns the
// failure.
Failure PostgresSession::give_up(Failure failure) {
  if (failure.broken)
    connection_.reset();
  else
    discard();
  in_transaction_ = false;
  return failure;
}

void PostgresSession::discard() {
  if (!connection_ || !in_transaction_) return;
  in_transaction_ = false;
  if (const auto done = connection_->ask(kRollback); !done) connection_.reset();
  replies_unlimited();
}

// Retries after a conflict or a broken connection. The locks of earlier loads of the batch are then released, but the
// commit still compares the versions of the roots that those loads read.
Result<void> PostgresSession::load(const ReadSet& reads, WorkingSet& rows) {
  has_failed_in_part_ = false;
  for (int tries = 1;; ++tries) {
    if (auto there = connect(); !there) return there;
    const auto loaded = load_once(reads, rows);
    if (loaded) return {};
    const Failure failure = give_up(loaded.error());
    if (note_shard_failure(failure) || tries == limits::kLoadTriesMax || (!failure.broken && !is_conflict(failure)))
      return fail(fmt::format("cannot load rows: {}", failure.message));
  }
}

std::expected<void, Failure> PostgresSession::load_once(const ReadSet& reads, WorkingSet& rows) {
  const std::size_t first = begin();
  Loader loader(*connection_, reads, form());
  loader.send();
  if (auto loaded = loader.finish(first, rows); !loaded) return loaded;
  const ReadSet rest = loader.rest(rows);
  return Loader::is_empty(rest) ? std::expected<void, Failure>() : load_once(rest, rows);
}

// The outcome of a transaction that failed before its COMMIT. In a distributed store one full worker is no fault of the
// store: other merchants' rows are on other workers.
CommitResult PostgresSession::result_of(const Failure& failure) {
  note_shard_failure(failure);
  if (is_conflict(failure)) return {CommitOutcome::conflict, failure.message};
  return {CommitOutcome::failed, failure.message, options_.distributed ? std::nullopt : fault_of(failure)};
}

CommitResult PostgresSession::undo(CommitOutcome outcome, std::string message) {
  discard();
  return {outcome, std::move(message)};
}

// Runs all statements of a commit except COMMIT. Returns the result if the commit failed, otherwise empty. After an
// error nothing is written, because the server rolls back a transaction without a COMMIT.
std::optional<CommitResult> PostgresSession::write(const WorkingSet& rows, const IdGenerator& ids) {
  const std::size_t first = begin();
  const Duration sent_at = asked_at();
  send_batch(*connection_, node_, ids.reserved_until(), options_.timing.lease);
  const std::vector<Expected> expected = send_changes(*connection_, rows, form());
  connection_->send(kLimitNothing);
  const Replies replies = connection_->finish();
  if (!replies) {
    const Failure failure = give_up(replies.error());
    CommitResult result = result_of(failure);
    // On the shard of the node's row no commit of this node number can succeed, so another number must be leased.
    if (has_failed_in_part_ && !failure.broken && failure.statement == first)
      return CommitResult{CommitOutcome::fenced,
                          fmt::format("the shard of node number {} failed: {}", node_.number, failure.message)};
    return result;
  }
  const auto extension = batch_of((*replies)[first], options_.timing.lease);
  if (!extension)
    return undo(CommitOutcome::fenced, fmt::format("node number {} was leased to another process", node_.number));
  batch_ = extension->batch;
  compare_clock(extension->at, sent_at);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i].rows && (*replies)[first + 1 + i].affected() != *expected[i].rows)
      return undo(CommitOutcome::conflict, std::string(expected[i].table));
  return std::nullopt;
}

CommitResult PostgresSession::commit(const WorkingSet& rows, const IdGenerator& ids) {
  has_failed_in_part_ = false;
  if (const auto there = connect(); !there) return {CommitOutcome::failed, there.error().message};
  latest_id_ = ids.latest();
  if (auto stopped = write(rows, ids)) return std::move(*stopped);
  return end();
}

// Sends COMMIT. If the server replies with an error, nothing was written. If there is no reply, the outcome is unknown.
// A warning means that the server stopped waiting for a standby, so that the batch may exist on the primary only.
// resolve_commit() handles both cases.
CommitResult PostgresSession::end() {
  in_transaction_ = false;
  connection_->clear_warning();
  replies_unlimited();
  const auto reply = connection_->ask(kCommit);
  if (!reply && reply.error().broken) {
    connection_.reset();
    return resolve_commit(reply.error().message);
  }
  if (!reply) return result_of(reply.error());
  if (!connection_->warning().empty()) return resolve_commit(connection_->warning());
  if (reply->tag() != "COMMIT") return {CommitOutcome::failed, "the server rolled the transaction back"};
  return {};
}

// Checks whether last_batch in the node's row is the number of this batch. It updates the row instead of reading it,
// for two reasons. First, the update waits until the server has committed or rolled back the old transaction, which
// holds a lock on the row. Second, if the server acknowledges the update's COMMIT without a warning, a standby has all
// earlier commits. If the token has changed, another process holds the node number and may have changed last_batch. The
// outcome is then lost, and also if the database stays unreachable.
CommitResult PostgresSession::resolve_commit(std::string why) {
  const Deadline deadline(options_.timing.commit_outcome);
  do {
    if (!connection_) {
      auto connection = reach(options_, Use::write, std::min(deadline.left(), options_.timing.reconnect));
      if (!connection) {
        why = connection.error().message;
        continue;
      }
      connection_ = std::move(*connection);
    }
    connection_->clear_warning();
    const auto batch = extend_lease(*connection_, node_, options_.timing.lease);
    if (batch && connection_->warning().empty()) {
      if (!*batch)
        return {CommitOutcome::lost, "the node number was leased to another process during a COMMIT: " + why};
      if ((*batch)->batch == batch_) return {};
      return {CommitOutcome::failed, why};
    }
    why = batch ? connection_->warning() : batch.error().message;
    if (!batch && batch.error().broken) connection_.reset();
    pause_for(std::min(deadline.left(), kRetryPause));
  } while (!deadline.over());
  return {CommitOutcome::lost, "the outcome of a COMMIT is unknown: " + why};
}

Result<void> PostgresSession::lease() {
  has_failed_in_part_ = false;
  discard();
  if (auto there = connect(); !there) return there;
  const Duration sent_at = asked_at();
  const Duration limit = statement_limit();
  limit_replies(limit);
  auto node = lease_node(*connection_, options_.timing.lease, options_.distributed ? limit : Duration(0));
  replies_unlimited();
  if (!node) {
    connection_.reset();
    return std::unexpected(node.error());
  }
  node_ = *node;
  compare_clock(node_.leased_at, sent_at);
  latest_id_ = node_.ids_until;
  return {};
}

CommitResult PostgresSession::renew() {
  discard();
  if (const auto there = connect(); !there) return {CommitOutcome::failed, there.error().message};
  const Duration sent_at = asked_at();
  const Duration limit = statement_limit();
  limit_replies(limit);
  const auto extension =
      extend_lease(*connection_, node_, options_.timing.lease, options_.distributed ? limit : Duration(0));
  replies_unlimited();
  if (extension && *extension) {
    compare_clock((*extension)->at, sent_at);
    return {};
  }
  if (extension) return {CommitOutcome::fenced, "no commit for too long"};
  if (extension.error().broken) connection_.reset();
  CommitResult result = result_of(extension.error());
  // Without its shard, the node number cannot be used. The caller leases another.
  if (has_failed_in_part_ && !extension.error().broken) result.outcome = CommitOutcome::fenced;
  return result;
}

Result<std::vector<StorePart>> PostgresSession::parts_of(const std::vector<MerchantId>& merchants) {
  if (!options_.distributed) return Session::parts_of(merchants);
  discard();
  if (auto there = connect(); !there) return std::unexpected(there.error());
  auto parts = workers_of(*connection_, merchants);
  if (parts) return std::move(*parts);
  if (parts.error().broken) connection_.reset();
  return fail(fmt::format("cannot find the shards of merchants: {}", parts.error().message));
}

// If the reply to COMMIT is lost, the outcome need not be looked up: the next call deletes the rows that remain.
Expired PostgresSession::expire(const ExpireStep& step) {
  const auto failed = [this](const Failure& why) { return Expired{.result = result_of(give_up(why))}; };
  if (const auto there = connect(); !there) return {.result = {CommitOutcome::failed, there.error().message}};
  discard();
  const std::size_t first = begin();
  Expiry expiry(*connection_, step);
  expiry.send_search();
  Replies replies = connection_->finish();
  if (!replies) return failed(replies.error());
  expiry.take_search(*replies, first);
  if (!expiry.anything_to_delete()) {
    discard();
    return expiry.outcome(false);
  }
  connection_->send(kFence, Parameters(node_.number, node_.token));
  expiry.send_removal();
  replies = connection_->finish();
  if (!replies) return failed(replies.error());
  if (replies->front().affected() == 0)
    return {.result =
                undo(CommitOutcome::fenced, fmt::format("node number {} was leased to another process", node_.number))};
  if (!expiry.is_removed(*replies, 1))
    return {.result = undo(CommitOutcome::conflict, "deliveries or idempotency_records")};
  in_transaction_ = false;
  replies_unlimited();
  const auto reply = connection_->ask(kCommit);
  if (!reply) return failed(reply.error());
  if (reply->tag() != "COMMIT") return {.result = {CommitOutcome::failed, "the server rolled the transaction back"}};
  return expiry.outcome(true);
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const ConnectionOptions& options) {
  auto session = std::make_unique<PostgresSession>(options);
  if (auto leased = session->lease(); !leased) return std::unexpected(leased.error());
  return session;
}

}  // namespace finality::postgres
