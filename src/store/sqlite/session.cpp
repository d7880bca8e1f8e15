#include "store/sqlite/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/limits.h"
#include "model/natural_key.h"
#include "store/replaced_files.h"
#include "store/sql/due.h"
#include "store/sql/packed_events.h"
#include "store/sqlite/checkpointer.h"
#include "store/sqlite/expire.h"
#include "store/sqlite/files.h"
#include "store/sqlite/flusher.h"
#include "store/sqlite/read_set.h"
#include "store/sqlite/restore.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/transaction.h"

namespace finality::sqlite {
namespace {

/// The reason to roll a commit back: a conflict, a lost lease or an error of the database.
struct Stop {
  CommitOutcome outcome;
  std::string message;
};
using Written = std::expected<void, Stop>;

Written require(const Result<bool>& done, std::string_view what) {
  if (!done) return std::unexpected(Stop{CommitOutcome::failed, done.error().message});
  if (!*done) return std::unexpected(Stop{CommitOutcome::conflict, std::string(what)});
  return {};
}

// Calls `visit` for the rows of a map in the order of their keys. So new rows are appended to their table, and changed
// rows are often on the same pages.
template <class Key, class T, class Hash, class Visit>
void each_in_order(const SlotMap<Key, T, Hash>& map, Visit visit) {
  using Row = const std::optional<T>*;
  std::vector<std::tuple<const Key*, Row, Row>> rows;
  map.each([&](const Key& key, const auto& base, const auto& now) { rows.emplace_back(&key, &base, &now); });
  std::ranges::sort(rows, {}, [](const auto& row) -> const Key& { return *std::get<0>(row); });
  for (const auto& [key, base, now] : rows) visit(*key, *base, *now);
}

class SqliteSession final : public Session {
 public:
  SqliteSession(Database database, std::string path, std::int64_t node, std::shared_ptr<Flushed> flushed,
                std::shared_ptr<Damage> damage)
      : database_(std::move(database)),
        path_(std::move(path)),
        node_(node),
        flushed_(std::move(flushed)),
        damage_(std::move(damage)) {}

  std::int64_t node() const override { return node_; }
  Time ids_not_before() const override { return ids_until_; }

  Result<void> load(const ReadSet& declared, WorkingSet& rows) override;
  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override;
  void discard() override {}  // load() leaves nothing locked
  Result<std::unique_ptr<Flusher>> flush_apart() override;
  Result<void> lease() override;
  CommitResult renew() override;
  Expired expire(const ExpireStep& step) override;
  /// Leases the node number. Returns the failure if the store cannot be written.
  CommitResult start();

 private:
  /// Whether readers wait until a transaction is durable (Flushed).
  enum class Awaited : std::uint8_t { no, yes };

  std::optional<CommitResult> refusal() const;
  CommitResult probe();
  CommitResult take_node();
  template <class Write>
  CommitResult transact(Awaited awaited, Write write);
  CommitResult note(CommitResult result);
  Written take_lease(std::int64_t& token, Time& ids_until);
  Written touch_node();
  CommitResult reopen();
  Result<void> commit_unsynced();
  Written write_all(const WorkingSet& rows, const IdGenerator& ids);
  Written write_node(const IdGenerator& ids);
  template <class AnId, Aggregate T>
  Written write(const SlotMap<AnId, T>& map);
  template <class AnId, StoredRow Row>
  Written write(const SlotMap<AnId, Row>& map);
  template <class Row>
  Written write(const SlotMap<MerchantId, std::vector<Row>>& lists);
  Written write(const std::vector<Entry>& entries);
  Written write(const std::vector<Event>& events);
  Written write(const std::vector<StatementPart>& parts);
  Written write(const std::vector<RestoredOrder>& restored);
  template <class Match>
  Written write(const SlotMap<std::int64_t, Match>& matches);
  Written write(const SlotMap<Hash16, Key, Hash16Hasher>& keys);
  Written write(const SlotMap<Hash16, IdempotencyRecord, Hash16Hasher>& answers);
  Written write(const SlotMap<PaymentId, OrderId>&) { return {}; }  // a payment's order never changes
  Written drop_idempotency_key(const Hash16& hash, IdempotencyRecordId expired);
  Written drop_file(StatementId id);
  template <class Row>
  Written write_root(const Row* base, const Row& now);
  template <class Row>
  Written write_children(const std::vector<Row>* base, const std::vector<Row>& now);
  template <Aggregate T>
  Written write_claims(const T& base, const T& now);
  template <class Row>
  Written write_claim(const Row& base, const Row& now);

  Database database_;
  std::string path_;
  std::int64_t node_;
  std::int64_t token_ = 0;
  Time ids_until_;
  std::shared_ptr<Flushed> flushed_;
  std::shared_ptr<Damage> damage_;
  std::shared_ptr<Checkpointer> checkpointer_;  // null until flush_apart()
  bool is_leased_ = false;
  bool is_lease_unused_ = false;         // taken by probe(); the next call of lease() returns it
  std::optional<CommitResult> refused_;  // a failure with a fault; set until probe() has written
};

Result<void> SqliteSession::load(const ReadSet& declared, WorkingSet& rows) {
  return load_read_set(database_, declared, rows);
}

Written SqliteSession::write_node(const IdGenerator& ids) {
  static const Sql sql("UPDATE nodes SET ids_until=?, last_batch=last_batch+1 WHERE number=? AND token=?");
  SqlStatement statement = database_.prepare(sql);
  const Time until = ids.reserved_until();
  statement.bind(until).bind(node_).bind(token_);
  if (statement.step() != StepResult::done)
    return std::unexpected(Stop{CommitOutcome::failed, database_.error("update nodes").message});
  if (database_.changes() != 1)
    return std::unexpected(Stop{CommitOutcome::fenced, "another process has taken over this store's node"});
  return {};
}

// Updates a root only if it still has its base version. Holds are written after their accounts, because the versions of
// the accounts guard them.
template <class Row>
Written SqliteSession::write_root(const Row* base, const Row& now) {
  if (base == nullptr) return require(insert_row(database_, now), RowTraits<Row>::table);
  if (base->version == now.version) return {};
  return require(update_row(database_, now, base->version), RowTraits<Row>::table);
}

// Inserts new children and overwrites changed children. Compares no versions: the root's version guards its children.
template <class Row>
Written SqliteSession::write_children(const std::vector<Row>* base, const std::vector<Row>& now) {
  for (const Row& row : now) {
    const Row* before = base != nullptr ? find_row(*base, row.id) : nullptr;
    if (before != nullptr && store::same_row(*before, row)) continue;
    const auto done = before == nullptr ? insert_row(database_, row) : update_row(database_, row);
    if (auto written = require(done, RowTraits<Row>::table); !written) return written;
  }
  return {};
}

Written SqliteSession::write(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries)
    if (auto written = require(insert_row(database_, entry), "entries"); !written) return written;
  return {};
}

Written SqliteSession::write(const std::vector<StatementPart>& parts) {
  for (const StatementPart& part : parts)
    if (auto written = require(insert_row(database_, part), "statement_parts"); !written) return written;
  return {};
}

Written SqliteSession::write(const std::vector<RestoredOrder>& restored) {
  for (const RestoredOrder& one : restored)
    if (auto written = require(restore_order(database_, *one.order, one.archive), "archived_orders"); !written)
      return written;
  return {};
}

Written SqliteSession::write(const std::vector<Event>& events) {
  for (const Change& change : store::pack(events))
    if (auto written = require(insert_row(database_, change), "changes"); !written) return written;
  return {};
}

// Writes a claim: a change of due_at with an unchanged root version. If the stored due_at no longer equals the base
// value, another claim came first, and the commit conflicts.
template <class Row>
Written SqliteSession::write_claim(const Row& base, const Row& now) {
  if constexpr (store::kIsClaimed<Row>) {
    if (base.due_at == now.due_at) return {};
    constexpr std::string_view kTable = RowTraits<Row>::table;
    static const Sql sql(fmt::format("UPDATE {} SET due_at=? WHERE id=? AND due_at=?", kTable));
    SqlStatement statement = database_.prepare(sql);
    if (statement.bind(now.due_at).bind(now.id).bind(base.due_at).step() != StepResult::done)
      return std::unexpected(Stop{CommitOutcome::failed, database_.error(fmt::format("claim in {}", kTable)).message});
    if (database_.changes() != 1) return std::unexpected(Stop{CommitOutcome::conflict, std::string(kTable)});
  }
  return {};
}

template <Aggregate T>
Written SqliteSession::write_claims(const T& base, const T& now) {
  Written written = write_claim(root_of(base), root_of(now));
  for_each_child_type<T>([&](std::string_view, auto member) {
    const auto& rows = now.*member;
    FINALITY_CHECK((base.*member).size() == rows.size(), "a row was added without its root's version");
    for (std::size_t i = 0; written && i < rows.size(); ++i) written = write_claim((base.*member)[i], rows[i]);
  });
  return written;
}

template <class AnId, Aggregate T>
Written SqliteSession::write(const SlotMap<AnId, T>& map) {
  Written written;
  each_in_order(map, [&](const AnId&, const std::optional<T>& base, const std::optional<T>& now) {
    if (!written || !now) return;
    if (base && root_of(*base).version == root_of(*now).version) {
      written = write_claims(*base, *now);
      return;
    }
    written = write_root(base ? &root_of(*base) : nullptr, root_of(*now));
    for_each_child_type<T>([&](std::string_view, auto member) {
      if (written) written = write_children(base ? &(*base.*member) : nullptr, *now.*member);
    });
  });
  return written;
}

template <class AnId, StoredRow Row>
Written SqliteSession::write(const SlotMap<AnId, Row>& map) {
  Written written;
  each_in_order(map, [&](const AnId&, const std::optional<Row>& base, const std::optional<Row>& now) {
    if (written && now) written = write_root(base ? &*base : nullptr, *now);
  });
  return written;
}

// Writes roots that are loaded as one list per merchant, such as webhook endpoints and fees.
template <class Row>
Written SqliteSession::write(const SlotMap<MerchantId, std::vector<Row>>& lists) {
  Written written;
  each_in_order(lists, [&](const MerchantId&, const auto& base, const auto& now) {
    if (!now) return;
    for (const Row& row : *now) {
      if (!written) return;
      written = write_root(base ? find_row(*base, row.id) : nullptr, row);
    }
  });
  return written;
}

// Deletes an expired idempotency key, so that a new key can replace it. The commit conflicts if the key maps to another
// record by now.
Written SqliteSession::drop_idempotency_key(const Hash16& hash, IdempotencyRecordId expired) {
  SqlStatement drop = database_.prepare("DELETE FROM idempotency_keys WHERE hash=? AND record_id=?");
  if (drop.bind(hash).bind(expired).step() != StepResult::done)
    return std::unexpected(Stop{CommitOutcome::failed, database_.error("delete idempotency key").message});
  if (database_.changes() != 1) return std::unexpected(Stop{CommitOutcome::conflict, "idempotency_keys"});
  return {};
}

template <class Match>
Written SqliteSession::write(const SlotMap<std::int64_t, Match>& matches) {
  Written written;
  each_in_order(matches, [&](std::int64_t, const auto& base, const auto& now) {
    if (written && now && !base) written = require(insert_row(database_, *now), RowTraits<Match>::table);
  });
  return written;
}

Written SqliteSession::write(const SlotMap<Hash16, Key, Hash16Hasher>& keys) {
  Written written;
  each_in_order(keys, [&](const Hash16&, const auto& base, const auto& now) {
    if (written && now && !base) written = require(insert_row(database_, *now), "keys");
  });
  return written;
}

Written SqliteSession::write(const SlotMap<Hash16, IdempotencyRecord, Hash16Hasher>& answers) {
  Written written;
  each_in_order(answers, [&](const Hash16& hash, const auto& base, const auto& now) {
    if (!written || !now || (base && base->id == now->id)) return;
    if (base) written = drop_idempotency_key(hash, base->id);
    if (written)
      written = require(insert_row(database_, IdempotencyKey{hash, now->merchant_id, now->id}), "idempotency_keys");
    if (written) written = require(insert_row(database_, *now), "idempotency_records");
  });
  return written;
}

// Deletes the parts of a file that the batch stores again.
Written SqliteSession::drop_file(StatementId id) {
  static const Sql sql("DELETE FROM statement_parts WHERE statement_id=?");
  SqlStatement statement = database_.prepare(sql);
  if (statement.bind(id).step() == StepResult::done) return {};
  return std::unexpected(Stop{CommitOutcome::failed, database_.error("delete from statement_parts").message});
}

Written SqliteSession::write_all(const WorkingSet& rows, const IdGenerator& ids) {
  Written written = write_node(ids);
  for (const StatementId id : store::replaced_files(rows))
    if (written) written = drop_file(id);
  for_each_member(rows, [&](const auto& member) {
    if (written) written = write(member);
  });
  return written;
}

// Runs `write` in a transaction. After an error nothing is written, unless the outcome is `lost`. A failed COMMIT also
// ends an awaited commit: readers that saw its number wait only for the commits before it.
template <class Write>
CommitResult SqliteSession::transact(Awaited awaited, Write write) {
  if (damage_->is_found()) return *refusal();
  if (database_.prepare("BEGIN IMMEDIATE").step() != StepResult::done) return note(failure(database_, "begin"));
  if (const Written written = write(); !written) {
    CommitResult stopped{written.error().outcome, written.error().message};
    if (stopped.outcome == CommitOutcome::failed) stopped.fault = failure(database_, {}).fault;
    return note(roll_back(database_, std::move(stopped)));
  }
  const bool counted = awaited == Awaited::yes && checkpointer_ != nullptr;
  if (counted) flushed_->begin();
  CommitResult result = commit_transaction(database_);
  if (counted) flushed_->end();
  return note(std::move(result));
}

CommitResult SqliteSession::note(CommitResult result) {
  if (result.outcome == CommitOutcome::ok) refused_.reset();
  if (result.fault) refused_ = result;
  return result;
}

std::optional<CommitResult> SqliteSession::refusal() const {
  if (damage_->is_found()) return CommitResult{CommitOutcome::failed, damage_->advice(), StoreFault::damaged};
  return refused_;
}

// After a fault, nothing is written until probe() has succeeded. Otherwise, on an almost full disk, small batches would
// succeed while large ones fail.
CommitResult SqliteSession::commit(const WorkingSet& rows, const IdGenerator& ids) {
  if (auto refused = refusal()) return std::move(*refused);
  return transact(Awaited::yes, [&] { return write_all(rows, ids); });
}

Expired SqliteSession::expire(const ExpireStep& step) {
  if (auto refused = refusal()) return {.result = std::move(*refused)};
  Expired expired = sqlite::expire(database_, step, node_, token_);
  if (expired.result.fault) refused_ = expired.result;
  return expired;
}

// The file lock excludes other processes, so the lease needs no renewal.
CommitResult SqliteSession::renew() { return refusal() ? probe() : CommitResult{}; }

// Checks by a write whether the store accepts writes. The outcome is `fenced` if the node number could not be leased
// before: new ids must be later than those of earlier holders, so the caller must call lease() next, which cannot fail.
CommitResult SqliteSession::probe() {
  if (damage_->is_found()) return note(*refusal());
  if (database_.is_read_only())
    if (CommitResult opened = reopen(); opened.outcome != CommitOutcome::ok) return note(std::move(opened));
  if (const int code = check_room(path_); code != 0)
    return note({CommitOutcome::failed,
                 fmt::format("cannot allocate {} bytes: {}", limits::kStoreRoomBytes, std::strerror(code)),
                 fault_of(SQLITE_IOERR, code)});
  if (is_leased_) return transact(Awaited::no, [&] { return touch_node(); });
  if (CommitResult taken = take_node(); taken.outcome != CommitOutcome::ok) return taken;
  is_lease_unused_ = true;
  return {CommitOutcome::fenced, "the store could not be written before"};
}

CommitResult SqliteSession::start() {
  CommitResult probed = probe();
  is_lease_unused_ = false;  // the caller creates its first ids after this
  return probed.outcome == CommitOutcome::fenced ? CommitResult{} : std::move(probed);
}

// SQLite keeps a connection read-only that was opened when the file could not be written.
CommitResult SqliteSession::reopen() {
  auto database = Database::open(path_, Database::Mode::write, damage_);
  if (!database) return {CommitOutcome::failed, database.error().message, StoreFault::read_only};
  if (database->is_read_only()) return {CommitOutcome::failed, "the store is read-only", StoreFault::read_only};
  database_ = std::move(*database);
  if (checkpointer_)
    if (auto done = commit_unsynced(); !done)
      return {CommitOutcome::failed, done.error().message, StoreFault::disk_error};
  return {};
}

Result<std::unique_ptr<Flusher>> SqliteSession::flush_apart() {
  auto checkpointer = Checkpointer::start(path_, damage_);
  if (!checkpointer) return std::unexpected(checkpointer.error());
  std::shared_ptr<Checkpointer> shared(std::move(*checkpointer));
  auto flusher = make_flusher(path_, flushed_, shared, damage_);
  if (!flusher) return flusher;
  checkpointer_ = std::move(shared);
  if (auto done = commit_unsynced(); !done) return std::unexpected(done.error());
  return flusher;
}

// With synchronous=NORMAL, SQLite does not sync the log after a commit, and the flusher does. SQLite still makes the
// syncs that keep the database consistent: the log before a checkpoint, the file after it, the header of a new log.
Result<void> SqliteSession::commit_unsynced() {
  if (auto done = database_.execute("PRAGMA synchronous=NORMAL"); !done) return done;
  sqlite3_wal_hook(
      database_.handle(),
      [](void* to, sqlite3*, const char*, int pages) {
        static_cast<Checkpointer*>(to)->log_has(pages);
        return SQLITE_OK;
      },
      checkpointer_.get());
  return {};
}

CommitResult SqliteSession::take_node() {
  std::int64_t token = 0;
  Time ids_until;
  CommitResult leased = transact(Awaited::no, [&] { return take_lease(token, ids_until); });
  FINALITY_CHECK(leased.outcome != CommitOutcome::lost, "the outcome of the lease is unknown until a restart");
  if (leased.outcome != CommitOutcome::ok) return leased;
  token_ = token;
  ids_until_ = ids_until;
  is_leased_ = true;
  return leased;
}

Result<void> SqliteSession::lease() {
  if (std::exchange(is_lease_unused_, false)) return {};
  const CommitResult leased = take_node();
  return leased.outcome == CommitOutcome::ok ? Result<void>() : fail(leased.message);
}

Written SqliteSession::take_lease(std::int64_t& token, Time& ids_until) {
  SqlStatement take = database_.prepare(
      "INSERT INTO nodes (number, token, ids_until, last_batch) VALUES (?, 1, 0, 0) "
      "ON CONFLICT (number) DO UPDATE SET token = token + 1 RETURNING token, ids_until");
  const auto failed = [&] {
    return std::unexpected(Stop{CommitOutcome::failed, database_.error("lease node").message});
  };
  if (take.bind(node_).step() != StepResult::row) return failed();
  take.read(token);
  take.read(ids_until);
  if (take.step() != StepResult::done) return failed();
  return {};
}

// Changes only a row that no reader reads.
Written SqliteSession::touch_node() {
  SqlStatement touch = database_.prepare("UPDATE nodes SET last_batch=last_batch+1 WHERE number=? AND token=?");
  if (touch.bind(node_).bind(token_).step() == StepResult::done) return {};
  return std::unexpected(Stop{CommitOutcome::failed, database_.error("update nodes").message});
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const std::string& path, std::int64_t node,
                                              std::shared_ptr<Flushed> flushed, std::shared_ptr<Damage> damage) {
  auto database = Database::open(path, Database::Mode::write, damage);
  if (!database) return std::unexpected(database.error());
  auto session =
      std::make_unique<SqliteSession>(std::move(*database), path, node, std::move(flushed), std::move(damage));
  if (const CommitResult started = session->start(); started.outcome != CommitOutcome::ok && !started.fault)
    return fail(started.message);
  return session;
}

}  // namespace finality::sqlite
