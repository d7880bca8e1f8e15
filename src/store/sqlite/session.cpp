#include "store/sqlite/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/limits.h"
#include "model/natural_key.h"
#include "store/sql/due.h"
#include "store/sqlite/checkpointer.h"
#include "store/sqlite/expire.h"
#include "store/sqlite/flusher.h"
#include "store/sqlite/read_set.h"
#include "store/sqlite/restore.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/wal_batcher.h"

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
  SqliteSession(Database database, std::string path, std::int64_t node, std::shared_ptr<Flushed> flushed)
      : database_(std::move(database)), path_(std::move(path)), node_(node), flushed_(std::move(flushed)) {}

  std::int64_t node() const override { return node_; }
  Time ids_not_before() const override { return ids_until_; }

  Result<void> load(const ReadSet& declared, WorkingSet& rows) override;
  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override;
  void discard() override {}  // load() leaves nothing locked
  Result<std::unique_ptr<Flusher>> flush_apart() override;
  Result<void> lease() override;
  CommitOutcome renew() override { return CommitOutcome::ok; }  // the file lock excludes other processes
  Expired expire(const ExpireStep& step) override { return sqlite::expire(database_, step, node_, token_); }

 private:
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
  std::shared_ptr<Checkpointer> checkpointer_;  // null until flush_apart()
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

// Writes events sorted by root and id, which is the order of the rows in their table.
Written SqliteSession::write(const std::vector<Event>& events) {
  std::vector<const Event*> ordered;
  ordered.reserve(events.size());
  for (const Event& event : events) ordered.push_back(&event);
  std::ranges::sort(ordered, {}, [](const Event* event) { return std::pair(event->root_id, event->id); });
  for (const Event* event : ordered)
    if (auto written = require(insert_row(database_, *event), "events"); !written) return written;
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

Written SqliteSession::write_all(const WorkingSet& rows, const IdGenerator& ids) {
  Written written = write_node(ids);
  for_each_member(rows, [&](const auto& member) {
    if (written) written = write(member);
  });
  return written;
}

CommitResult SqliteSession::commit(const WorkingSet& rows, const IdGenerator& ids) {
  if (database_.prepare("BEGIN IMMEDIATE").step() != StepResult::done)
    return {CommitOutcome::failed, database_.error("begin").message};
  if (const auto written = write_all(rows, ids); !written) {
    if (database_.in_transaction() && database_.prepare("ROLLBACK").step() != StepResult::done)
      return {CommitOutcome::lost, database_.error("rollback").message};
    return {written.error().outcome, written.error().message};
  }
  if (checkpointer_) flushed_->begin();
  // After a failed COMMIT it is unknown whether the transaction is on the disk, and a failed fsync cannot be retried
  // reliably. So the outcome is `lost`: the process must restart and read the actual state.
  {
    const BatchedCommit gathered(database_.handle());
    if (database_.prepare("COMMIT").step() != StepResult::done)
      return {CommitOutcome::lost, database_.error("commit").message};
    FINALITY_CHECK(gathered.is_written(), "COMMIT returned before its pages were written");
  }
  if (checkpointer_) flushed_->end();
  return {};
}

// With synchronous=NORMAL, SQLite does not sync the log after a commit, and the flusher does. SQLite still makes the
// syncs that keep the database consistent: the log before a checkpoint, the file after it, the header of a new log.
Result<std::unique_ptr<Flusher>> SqliteSession::flush_apart() {
  auto checkpointer = Checkpointer::start(path_);
  if (!checkpointer) return std::unexpected(checkpointer.error());
  std::shared_ptr<Checkpointer> shared(std::move(*checkpointer));
  auto flusher = make_flusher(path_, flushed_, shared);
  if (!flusher) return flusher;
  if (auto done = database_.execute("PRAGMA synchronous=NORMAL"); !done) return std::unexpected(done.error());
  checkpointer_ = std::move(shared);
  sqlite3_wal_hook(
      database_.handle(),
      [](void* to, sqlite3*, const char*, int pages) {
        static_cast<Checkpointer*>(to)->log_has(pages);
        return SQLITE_OK;
      },
      checkpointer_.get());
  return flusher;
}

Result<void> SqliteSession::lease() {
  SqlStatement take = database_.prepare(
      "INSERT INTO nodes (number, token, ids_until, last_batch) VALUES (?, 1, 0, 0) "
      "ON CONFLICT (number) DO UPDATE SET token = token + 1 RETURNING token, ids_until");
  if (take.bind(node_).step() != StepResult::row) return std::unexpected(database_.error("lease node"));
  take.read(token_);
  take.read(ids_until_);
  if (take.step() != StepResult::done) return std::unexpected(database_.error("lease node"));
  return {};
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const std::string& path, std::int64_t node,
                                              std::shared_ptr<Flushed> flushed) {
  auto database = Database::open(path, Database::Mode::write);
  if (!database) return std::unexpected(database.error());
  auto session = std::make_unique<SqliteSession>(std::move(*database), path, node, std::move(flushed));
  if (auto leased = session->lease(); !leased) return std::unexpected(leased.error());
  return session;
}

}  // namespace finality::sqlite
