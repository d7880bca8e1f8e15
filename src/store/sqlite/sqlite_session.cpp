#include "store/sqlite/sqlite_session.h"

#include <algorithm>
#include <tuple>

#include "base/limits.h"
#include "model/natural_key.h"
#include "store/sqlite/checkpointer.h"
#include "store/sqlite/expire.h"
#include "store/sqlite/flusher.h"
#include "store/sqlite/gathered_log.h"
#include "store/sqlite/load.h"
#include "store/sqlite/rows.h"

namespace finality::sqlite {
namespace {

// Ids may be handed out this far ahead of the last commit before their reservation is written.
constexpr Duration kIdsReserved = std::chrono::seconds(10);

/// What stops a commit half-way: a lost race or a failing disk.
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

template <class T>
void make_unique(std::vector<T>& list) {
  std::ranges::sort(list);
  const auto rest = std::ranges::unique(list);
  list.erase(rest.begin(), rest.end());
}

// In the order of the keys: what is new goes to the end of its table, what changes lies near to its neighbours.
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

  Result<void> load(const Needs& declared, WorkingSet& rows) override;
  CommitResult commit(const WorkingSet& rows, const IdGenerator& ids) override;
  void discard() override {}  // load() keeps nothing locked
  Result<std::unique_ptr<Flusher>> flush_apart() override;
  Result<void> lease() override;
  CommitOutcome renew() override { return CommitOutcome::ok; }  // the file is this process's as long as it runs
  Expired expire(const ExpireStep& step) override { return sqlite::expire(database_, step, node_, token_); }

 private:
  Result<void> load_all(const Needs& declared, WorkingSet& rows);
  Result<void> load_keys(const std::vector<Hash16>& hashes, WorkingSet& rows, std::vector<std::int64_t>* named);
  Result<void> load_merchants(const std::vector<MerchantId>& merchants, WorkingSet& rows);
  Result<void> load_money(Needs& needs, WorkingSet& rows);
  Result<void> load_answers(const std::vector<Hash16>& hashes, WorkingSet& rows);
  template <class Row, class AnId>
  Result<void> load_rows(const std::vector<AnId>& ids, SlotMap<AnId, Row>& map);

  Written write_all(const WorkingSet& rows, const IdGenerator& ids);
  Written write_node(const IdGenerator& ids);
  Written write_orders(const WorkingSet& rows);
  Written write_deliveries(const WorkingSet& rows);
  Written write_holds(const WorkingSet& rows);
  template <class Map>
  Written write_lists(const Map& map);
  Written drop_idempotency_key(const Hash16& hash, AnswerId expired);
  Written write_keys(const WorkingSet& rows);
  Written write_claim(std::string_view table, std::int64_t id, const std::optional<Time>& before,
                      const std::optional<Time>& after);
  template <class Row>
  Written write_claims(const std::vector<Row>& base, const std::vector<Row>& now);
  template <class Map>
  Written write_roots(const Map& map);
  template <class Row>
  Written write_root(const Row* base, const Row& now);
  template <class Row>
  Written write_children(const std::vector<Row>* base, const std::vector<Row>& now);
  Written write_entries(const std::vector<Entry>& entries);
  Written write_events(const std::vector<Event>& events);

  Database database_;
  std::string path_;
  std::int64_t node_;
  std::int64_t token_ = 0;
  Time ids_until_;
  std::shared_ptr<Flushed> flushed_;
  std::shared_ptr<Checkpointer> checkpointer_;  // when it is flushed apart
};

template <class Row, class AnId>
Result<void> SqliteSession::load_rows(const std::vector<AnId>& ids, SlotMap<AnId, Row>& map) {
  static const Sql sql = select_sql<Row>("WHERE id=?");
  for (const AnId id : ids) {
    if (map.loaded(id)) continue;
    auto row = select_row<Row>(database_, sql, id);
    if (!row) return std::unexpected(row.error());
    map.load(id, std::move(*row));
  }
  return {};
}

Result<void> SqliteSession::load_keys(const std::vector<Hash16>& hashes, WorkingSet& rows,
                                      std::vector<std::int64_t>* named) {
  static const Sql sql = select_sql<Key>("WHERE hash=?");
  for (const Hash16& hash : hashes) {
    if (rows.keys.loaded(hash)) continue;
    auto key = select_row<Key>(database_, sql, hash);
    if (!key) return std::unexpected(key.error());
    if (*key && named != nullptr) named->push_back((*key)->id);
    rows.keys.load(hash, *key);
  }
  return {};
}

Result<void> SqliteSession::load_merchants(const std::vector<MerchantId>& merchants, WorkingSet& rows) {
  if (auto done = load_rows<Merchant>(merchants, rows.merchants); !done) return done;
  for (const MerchantId id : merchants) {
    if (!rows.endpoints.loaded(id)) {
      auto endpoints = load_webhook_endpoints(database_, id);
      if (!endpoints) return std::unexpected(endpoints.error());
      rows.endpoints.load(id, std::move(*endpoints));
    }
    if (!rows.fees.loaded(id)) {
      auto fees = load_fees(database_, id);
      if (!fees) return std::unexpected(fees.error());
      rows.fees.load(id, std::move(*fees));
    }
  }
  return {};
}

Result<void> SqliteSession::load_answers(const std::vector<Hash16>& hashes, WorkingSet& rows) {
  static const Sql sql = select_sql<Answer>("WHERE id=(SELECT answer_id FROM idempotency_keys WHERE hash=?)");
  for (const Hash16& hash : hashes) {
    if (rows.answers.loaded(hash)) continue;
    auto answer = select_row<Answer>(database_, sql, hash);
    if (!answer) return std::unexpected(answer.error());
    rows.answers.load(hash, std::move(*answer));
  }
  return {};
}

// All reads of a batch see one snapshot, and the file is locked once instead of once per statement.
Result<void> SqliteSession::load(const Needs& declared, WorkingSet& rows) {
  if (database_.prepare("BEGIN").step() != StepResult::done) return std::unexpected(database_.error("begin"));
  auto loaded = load_all(declared, rows);
  if (database_.prepare("COMMIT").step() != StepResult::done) return std::unexpected(database_.error("end of load"));
  return loaded;
}

Result<void> SqliteSession::load_all(const Needs& declared, WorkingSet& rows) {
  Needs needs = declared;
  std::vector<std::int64_t> named_orders;
  std::vector<std::int64_t> named_accounts;
  if (auto done = load_keys(needs.order_keys, rows, &named_orders); !done) return done;
  if (auto done = load_keys(needs.account_keys, rows, &named_accounts); !done) return done;
  if (auto done = load_keys(needs.receipt_keys, rows, nullptr); !done) return done;
  if (auto done = load_keys(needs.refund_keys, rows, nullptr); !done) return done;
  for (const std::int64_t id : named_orders) needs.orders.push_back(OrderId{id});
  for (const PaymentId id : needs.payments) {
    if (rows.order_of_payment.loaded(id)) continue;
    auto order = load_order_of_payment(database_, id);
    if (!order) return std::unexpected(order.error());
    if (*order) needs.orders.push_back(**order);
    rows.order_of_payment.load(id, *order);
  }
  make_unique(needs.orders);
  for (const OrderId id : needs.orders) {
    if (rows.orders.loaded(id)) continue;
    auto order = load_order(database_, id);
    if (!order) return std::unexpected(order.error());
    rows.orders.load(id, std::move(*order));
  }
  for (const DeliveryId id : needs.deliveries) {
    if (rows.deliveries.loaded(id)) continue;
    auto delivery = load_delivery(database_, id);
    if (!delivery) return std::unexpected(delivery.error());
    rows.deliveries.load(id, std::move(*delivery));
  }
  for (const std::int64_t id : named_accounts) needs.accounts.push_back(AccountId{id});
  if (auto done = load_money(needs, rows); !done) return done;
  if (auto done = load_rows<ApiKey>(needs.api_keys, rows.api_keys); !done) return done;
  if (auto done = load_merchants(needs.merchants, rows); !done) return done;
  return load_answers(needs.answers, rows);
}

// Transfers, holds and prices, with the accounts that they name.
Result<void> SqliteSession::load_money(Needs& needs, WorkingSet& rows) {
  std::vector<std::int64_t> transfers;
  std::vector<std::int64_t> holds;
  std::vector<std::int64_t> prices;
  if (auto done = load_keys(needs.transfer_keys, rows, &transfers); !done) return done;
  if (auto done = load_keys(needs.hold_keys, rows, &holds); !done) return done;
  if (auto done = load_keys(needs.price_keys, rows, &prices); !done) return done;
  for (const std::int64_t id : transfers) needs.transfers.push_back(TransferId{id});
  for (const std::int64_t id : holds) needs.holds.push_back(HoldId{id});
  if (auto done = load_rows<Transfer>(needs.transfers, rows.transfers); !done) return done;
  if (auto done = load_rows<Hold>(needs.holds, rows.holds); !done) return done;
  for (const TransferId id : needs.transfers)
    if (const Transfer* transfer = rows.transfers.find(id); transfer != nullptr && transfer->debit_account_id) {
      needs.accounts.push_back(*transfer->debit_account_id);
      needs.accounts.push_back(*transfer->credit_account_id);
    }
  for (const HoldId id : needs.holds)
    if (const Hold* hold = rows.holds.find(id)) {
      needs.accounts.push_back(hold->account_id);
      needs.accounts.push_back(hold->credit_account_id);
    }
  std::vector<PriceId> price_ids;
  for (const std::int64_t id : prices) price_ids.push_back(PriceId{id});
  if (auto done = load_rows<Price>(price_ids, rows.prices); !done) return done;
  return load_rows<Account>(needs.accounts, rows.accounts);
}

Written SqliteSession::write_node(const IdGenerator& ids) {
  static const Sql sql("UPDATE nodes SET ids_until=?, last_batch=last_batch+1 WHERE number=? AND token=?");
  Statement statement = database_.prepare(sql);
  const Time until = ids.latest() + kIdsReserved;
  statement.bind(until).bind(node_).bind(token_);
  if (statement.step() != StepResult::done)
    return std::unexpected(Stop{CommitOutcome::failed, database_.error("update nodes").message});
  if (database_.changes() != 1)
    return std::unexpected(Stop{CommitOutcome::fenced, "another process has taken over this store's node"});
  return {};
}

template <class Row>
Written SqliteSession::write_root(const Row* base, const Row& now) {
  if (base == nullptr) return require(insert_row(database_, now), RowTraits<Row>::table);
  if (base->version == now.version) return {};
  return require(update_row(database_, now, base->version), RowTraits<Row>::table);
}

template <class Map>
Written SqliteSession::write_roots(const Map& map) {
  Written written;
  each_in_order(map, [&](const auto&, const auto& base, const auto& now) {
    if (written && now) written = write_root(base ? &*base : nullptr, *now);
  });
  return written;
}

// The root's version guards them: what is new is inserted, what differs is written over.
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

Written SqliteSession::write_entries(const std::vector<Entry>& entries) {
  for (const Entry& entry : entries)
    if (auto written = require(insert_row(database_, entry), "entries"); !written) return written;
  return {};
}

// Root by root, as they are clustered.
Written SqliteSession::write_events(const std::vector<Event>& events) {
  std::vector<const Event*> ordered;
  ordered.reserve(events.size());
  for (const Event& event : events) ordered.push_back(&event);
  std::ranges::sort(ordered, {}, [](const Event* event) { return std::pair(event->root_id, event->id); });
  for (const Event* event : ordered)
    if (auto written = require(insert_row(database_, *event), "events"); !written) return written;
  return {};
}

// A due instant that moved while the root's version stayed is a claim: only one of two claimants finds the instant that
// both read.
Written SqliteSession::write_claim(std::string_view table, std::int64_t id, const std::optional<Time>& before,
                                   const std::optional<Time>& after) {
  if (before == after) return {};
  Statement statement = database_.prepare("UPDATE " + std::string(table) + " SET due_at=? WHERE id=? AND due_at=?");
  if (statement.bind(after).bind(id).bind(before).step() != StepResult::done)
    return std::unexpected(Stop{CommitOutcome::failed, database_.error("claim in " + std::string(table)).message});
  if (database_.changes() != 1) return std::unexpected(Stop{CommitOutcome::conflict, std::string(table)});
  return {};
}

template <class Row>
Written SqliteSession::write_claims(const std::vector<Row>& base, const std::vector<Row>& now) {
  Written written;
  for (std::size_t i = 0; written && i < now.size(); ++i)
    written = write_claim(RowTraits<Row>::table, now[i].id.value, base[i].due_at, now[i].due_at);
  return written;
}

Written SqliteSession::write_orders(const WorkingSet& rows) {
  Written written;
  each_in_order(rows.orders, [&](const OrderId&, const auto& base, const auto& now) {
    if (!written || !now) return;
    if (base && base->order.version == now->order.version) {
      FINALITY_CHECK(base->payments.size() == now->payments.size(), "a payment was added without its order's version");
      written = write_claims(base->payments, now->payments);
      if (written) written = write_claims(base->refunds, now->refunds);
      if (written) written = write_claims(base->reversals, now->reversals);
      return;
    }
    written = write_root(base ? &base->order : nullptr, now->order);
    if (written) written = write_children(base ? &base->payments : nullptr, now->payments);
    if (written) written = write_children(base ? &base->receipts : nullptr, now->receipts);
    if (written) written = write_children(base ? &base->refunds : nullptr, now->refunds);
    if (written) written = write_children(base ? &base->reversals : nullptr, now->reversals);
    if (written) written = write_children(base ? &base->cases : nullptr, now->cases);
    if (written) written = write_children(base ? &base->returns : nullptr, now->returns);
  });
  return written;
}

Written SqliteSession::write_deliveries(const WorkingSet& rows) {
  Written written;
  each_in_order(rows.deliveries, [&](const DeliveryId& id, const auto& base, const auto& now) {
    if (!written || !now) return;
    if (base && base->delivery.version == now->delivery.version) {
      written = write_claim(RowTraits<Delivery>::table, id.value, base->delivery.due_at, now->delivery.due_at);
      return;
    }
    written = write_root(base ? &base->delivery : nullptr, now->delivery);
    if (written) written = write_children(base ? &base->cases : nullptr, now->cases);
  });
  return written;
}

// Their accounts' versions guard them, and were written before.
Written SqliteSession::write_holds(const WorkingSet& rows) {
  Written written;
  each_in_order(rows.holds, [&](const HoldId&, const auto& base, const auto& now) {
    if (!written || !now || (base && base->version == now->version)) return;
    written = require(base ? update_row(database_, *now) : insert_row(database_, *now), "holds");
  });
  return written;
}

// Roots that are loaded as a merchant's list.
template <class Map>
Written SqliteSession::write_lists(const Map& map) {
  Written written;
  each_in_order(map, [&](const MerchantId&, const auto& base, const auto& now) {
    if (!now) return;
    for (const auto& row : *now) {
      if (!written) return;
      written = write_root(base ? find_row(*base, row.id) : nullptr, row);
    }
  });
  return written;
}

// An expired key gives way, once: whoever read it too finds another answer there.
Written SqliteSession::drop_idempotency_key(const Hash16& hash, AnswerId expired) {
  Statement drop = database_.prepare("DELETE FROM idempotency_keys WHERE hash=? AND answer_id=?");
  if (drop.bind(hash).bind(expired).step() != StepResult::done)
    return std::unexpected(Stop{CommitOutcome::failed, database_.error("delete idempotency key").message});
  if (database_.changes() != 1) return std::unexpected(Stop{CommitOutcome::conflict, "idempotency_keys"});
  return {};
}

Written SqliteSession::write_keys(const WorkingSet& rows) {
  Written written;
  each_in_order(rows.keys, [&](const Hash16&, const auto& base, const auto& now) {
    if (written && now && !base) written = require(insert_row(database_, *now), "keys");
  });
  each_in_order(rows.answers, [&](const Hash16& hash, const auto& base, const auto& now) {
    if (!written || !now || (base && base->id == now->id)) return;
    if (base) written = drop_idempotency_key(hash, base->id);
    if (written)
      written = require(insert_row(database_, IdempotencyKey{hash, now->merchant_id, now->id}), "idempotency_keys");
    if (written) written = require(insert_row(database_, *now), "answers");
  });
  return written;
}

Written SqliteSession::write_all(const WorkingSet& rows, const IdGenerator& ids) {
  if (auto written = write_node(ids); !written) return written;
  if (auto written = write_orders(rows); !written) return written;
  if (auto written = write_deliveries(rows); !written) return written;
  if (auto written = write_entries(rows.entries); !written) return written;  // the journal first, then the balances
  if (auto written = write_roots(rows.accounts); !written) return written;
  if (auto written = write_holds(rows); !written) return written;
  if (auto written = write_roots(rows.transfers); !written) return written;
  if (auto written = write_roots(rows.prices); !written) return written;
  if (auto written = write_roots(rows.merchants); !written) return written;
  if (auto written = write_roots(rows.api_keys); !written) return written;
  if (auto written = write_lists(rows.endpoints); !written) return written;
  if (auto written = write_lists(rows.fees); !written) return written;
  if (auto written = write_events(rows.events); !written) return written;
  return write_keys(rows);
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
  // A COMMIT that fails may have reached the disk or not, and a failed fsync cannot be repeated: whoever goes on
  // guesses. A restart reads what is there.
  {
    const GatheredCommit gathered(database_.handle());
    if (database_.prepare("COMMIT").step() != StepResult::done)
      return {CommitOutcome::lost, database_.error("commit").message};
    FINALITY_CHECK(gathered.is_written(), "a commit was done before its pages were written");
  }
  if (checkpointer_) flushed_->end();
  return {};
}

// NORMAL leaves the sync of the log to us; what SQLite must have on the disk in its turn, it syncs still: the log
// before a checkpoint, the file after it, the head of a log that begins anew.
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
  Statement take = database_.prepare(
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
