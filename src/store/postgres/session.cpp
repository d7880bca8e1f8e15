#include "store/postgres/session.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "store/postgres/deadline.h"
#include "store/postgres/expire.h"
#include "store/postgres/load.h"
#include "store/postgres/node_lease.h"
#include "store/postgres/write.h"

namespace finality::postgres {
namespace {

// Ids may be handed out this far ahead of the last commit before their reservation is written.
constexpr Duration kIdsReserved = std::chrono::seconds(10);
constexpr Duration kAskAgainAfter = std::chrono::milliseconds(100);
const SqlStatement kBegin{{.name = "session.begin",
                           .purpose = "a batch's transaction",
                           .text = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"}};
const SqlStatement kCommit{{.name = "session.commit", .purpose = "the end of a batch", .text = "COMMIT"}};
const SqlStatement kRollback{{.name = "session.rollback", .purpose = "the end of a batch in vain", .text = "ROLLBACK"}};
const SqlStatement kFence{{.name = "node.fence",
                           .shards = Shards::node,
                           .tables = "nodes",
                           .purpose = "what deleting begins with: nothing where the lease is somebody else's",
                           .text = "UPDATE nodes SET last_batch = last_batch WHERE number = $1 AND token = $2"}};
const SqlStatement kLimitTime{{.name = "session.limit_time",
                               .purpose = "how long a statement of the batch may take",
                               .text = "SELECT set_config('statement_timeout', $1, true)"}};
const SqlStatement kLimitNothing{{.name = "session.limit_nothing",
                                  .purpose = "none may cancel the COMMIT",
                                  .text = "SELECT set_config('statement_timeout', '0', true)"}};

constexpr Duration kPartingWait = std::chrono::seconds(1);  // who leaves waits no longer for an answer

class PostgresSession final : public Session {
 public:
  explicit PostgresSession(ConnectionOptions options) : options_(std::move(options)) {}
  ~PostgresSession() override;

  std::int64_t node() const override { return node_.number; }
  Time ids_not_before() const override { return node_.ids_until; }

  Result<void> load(const ReadSet& reads, WorkingSet& rows) override;
  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override;
  void discard() override;
  Result<std::unique_ptr<Flusher>> flush_apart() override { return nullptr; }  // other processes read what it commits
  Result<void> lease() override;
  CommitOutcome renew() override;
  Expired expire(const ExpireStep& step) override;

 private:
  /// In which words a batch is loaded and written. Where rows lie on shards they cannot be locked over these, and a
  /// root's version alone guards it.
  Form form() const { return options_.distributed ? Form::sharded : options_.lock_roots ? Form::locking : Form::plain; }
  Result<void> connect();
  std::size_t begin();
  std::expected<void, Failure> load_once(const ReadSet& reads, WorkingSet& rows);
  Failure give_up(Failure failure);
  CommitResult undo(CommitOutcome outcome, std::string message);
  std::optional<CommitResult> write(const WorkingSet& rows, const IdGenerator& ids);
  CommitResult end();
  CommitResult resolve_commit(std::string why);

  ConnectionOptions options_;
  std::unique_ptr<Connection> connection_;  // null while it is broken
  bool in_transaction_ = false;
  NodeLease node_;
  Time latest_id_;          // the instant of the last id that a batch may have written
  std::int64_t batch_ = 0;  // the number of the batch that is being committed
};

PostgresSession::~PostgresSession() {
  if (connection_) connection_->set_silence(kPartingWait);
  discard();
  if (connection_) release_node(*connection_, node_, latest_id_);
}

Result<void> PostgresSession::connect() {
  if (connection_) return {};
  auto connection = reach(options_, Use::write, options_.timing.reconnect);
  if (!connection) return std::unexpected(connection.error());
  connection_ = std::move(*connection);
  return {};
}

// Adds what begins a transaction to the round trip, where none is under way; answers how many statements that are.
std::size_t PostgresSession::begin() {
  if (in_transaction_) return 0;
  in_transaction_ = true;
  connection_->send(kBegin);
  connection_->send(kLimitTime, Parameters(std::to_string(options_.timing.statement.count())));
  return 2;
}

// After a failed round trip nothing of the transaction may stay: neither its locks nor a connection nobody answers on.
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
}

// What lost a race or its connection is tried again: the locks of an earlier load are gone then, but each root's
// version still guards what was decided on it.
Result<void> PostgresSession::load(const ReadSet& reads, WorkingSet& rows) {
  for (int tries = 1;; ++tries) {
    if (auto there = connect(); !there) return there;
    const auto loaded = load_once(reads, rows);
    if (loaded) return {};
    const Failure failure = give_up(loaded.error());
    if (tries == limits::kLoadTriesMax || (!failure.broken && !is_conflict(failure)))
      return fail(fmt::format("load: {}", failure.message));
  }
}

std::expected<void, Failure> PostgresSession::load_once(const ReadSet& reads, WorkingSet& rows) {
  const std::size_t first = begin();
  Loader loader(*connection_, reads, form());
  loader.send();
  if (auto loaded = loader.finish(first, rows); !loaded) return loaded;
  const ReadSet rest = loader.rest(rows);
  return rest.orders.empty() ? std::expected<void, Failure>() : load_once(rest, rows);
}

CommitResult PostgresSession::undo(CommitOutcome outcome, std::string message) {
  discard();
  return {outcome, std::move(message)};
}

// Everything but the COMMIT. Whatever goes wrong here, nothing is written: the server keeps nothing of a transaction
// that nobody asked it to commit.
std::optional<CommitResult> PostgresSession::write(const WorkingSet& rows, const IdGenerator& ids) {
  const std::size_t first = begin();
  send_batch(*connection_, node_, ids.latest() + kIdsReserved, options_.timing.lease);
  const std::vector<Expected> expected = send_changes(*connection_, rows, form());
  connection_->send(kLimitNothing);
  const Replies replies = connection_->finish();
  if (!replies) {
    const Failure failure = give_up(replies.error());
    return CommitResult{is_conflict(failure) ? CommitOutcome::conflict : CommitOutcome::failed, failure.message};
  }
  if ((*replies)[first].rows() == 0)
    return undo(CommitOutcome::fenced, fmt::format("node number {} was leased to somebody else", node_.number));
  batch_ = (*replies)[first].row(0).read<std::int64_t>();
  for (std::size_t i = 0; i < expected.size(); ++i)
    if ((*replies)[first + 1 + i].affected() != expected[i].rows)
      return undo(CommitOutcome::conflict, std::string(expected[i].table));
  return std::nullopt;
}

CommitResult PostgresSession::commit(const WorkingSet& rows, const IdGenerator& ids) {
  if (const auto there = connect(); !there) return {CommitOutcome::failed, there.error().message};
  latest_id_ = ids.latest();
  if (auto stopped = write(rows, ids)) return std::move(*stopped);
  return end();
}

// An error is the server's word that it wrote nothing. Silence is not, and neither is a warning: it says that the wait
// for a standby was cancelled, so the batch is here and perhaps nowhere else.
CommitResult PostgresSession::end() {
  in_transaction_ = false;
  connection_->forget_warning();
  const auto reply = connection_->ask(kCommit);
  if (!reply && reply.error().broken) {
    connection_.reset();
    return resolve_commit(reply.error().message);
  }
  if (!reply)
    return {is_conflict(reply.error()) ? CommitOutcome::conflict : CommitOutcome::failed, reply.error().message};
  if (!connection_->warning().empty()) return resolve_commit(connection_->warning());
  if (reply->tag() != "COMMIT") return {CommitOutcome::failed, "the server rolled the transaction back"};
  return {};
}

// Asks the node's row whether it names this batch. Reading would not do: asking by an update waits until the server has
// decided about the old transaction, which holds the row while it commits; and the update's own COMMIT, acknowledged
// without a warning, proves that a standby has everything before it. As long as the token is ours nobody else has
// raised last_batch. A token that changed means that our lease ran out and that its new holder may have: then nobody
// can tell any more, and neither can anybody when the database stays away.
CommitResult PostgresSession::resolve_commit(std::string why) {
  const Deadline deadline(options_.timing.truth);
  do {
    if (!connection_) {
      auto connection = reach(options_, Use::write, std::min(deadline.left(), options_.timing.reconnect));
      if (!connection) {
        why = connection.error().message;
        continue;
      }
      connection_ = std::move(*connection);
    }
    connection_->forget_warning();
    const auto batch = extend_lease(*connection_, node_, options_.timing.lease);
    if (batch && connection_->warning().empty()) {
      if (!*batch) return {CommitOutcome::lost, "the node number was leased to somebody else during a COMMIT: " + why};
      if (**batch == batch_) return {};
      return {CommitOutcome::failed, why};
    }
    why = batch ? connection_->warning() : batch.error().message;
    if (!batch && batch.error().broken) connection_.reset();
    pause_for(std::min(deadline.left(), kAskAgainAfter));
  } while (!deadline.over());
  return {CommitOutcome::lost, "nobody can tell what became of a COMMIT: " + why};
}

Result<void> PostgresSession::lease() {
  discard();
  if (auto there = connect(); !there) return there;
  auto node = lease_node(*connection_, options_.timing.lease);
  if (!node) {
    connection_.reset();
    return std::unexpected(node.error());
  }
  node_ = *node;
  latest_id_ = node_.ids_until;
  return {};
}

CommitOutcome PostgresSession::renew() {
  discard();
  if (!connect()) return CommitOutcome::failed;
  const auto batch = extend_lease(*connection_, node_, options_.timing.lease);
  if (batch) return *batch ? CommitOutcome::ok : CommitOutcome::fenced;
  if (batch.error().broken) connection_.reset();
  return CommitOutcome::failed;
}

// A COMMIT whose answer is lost costs nothing here: what is gone is gone, and the rest goes next time.
Expired PostgresSession::expire(const ExpireStep& step) {
  const auto failed = [this](const Failure& why) {
    const Failure failure = give_up(why);
    return Expired{.result = {is_conflict(failure) ? CommitOutcome::conflict : CommitOutcome::failed, failure.message}};
  };
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
                undo(CommitOutcome::fenced, fmt::format("node number {} was leased to somebody else", node_.number))};
  if (!expiry.is_removed(*replies, 1)) return {.result = undo(CommitOutcome::conflict, "deliveries or answers")};
  in_transaction_ = false;
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
