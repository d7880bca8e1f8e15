#include "store/sqlite/read_set.h"

#include <algorithm>
#include <utility>

#include "store/sqlite/load.h"

namespace finality::sqlite {
namespace {

template <class T>
void make_unique(std::vector<T>& list) {
  std::ranges::sort(list);
  const auto rest = std::ranges::unique(list);
  list.erase(rest.begin(), rest.end());
}

template <class T, class AnId>
Result<void> load_by_id(Database& database, const std::vector<AnId>& ids, WorkingSet& rows) {
  auto& map = map_of<T>(rows);
  for (const AnId id : ids) {
    if (map.loaded(id)) continue;
    Result<std::optional<T>> found;
    if constexpr (Aggregate<T>) {
      found = load_aggregate<T>(database, id);
    } else {
      static const Sql sql = select_sql<T>("WHERE id=?");
      found = select_row<T>(database, sql, id);
    }
    if (!found) return std::unexpected(found.error());
    map.load(id, std::move(*found));
  }
  return {};
}

// Loads natural keys. If `follow` is set, adds the object that the key names to `reads`.
Result<void> load_keys(Database& database, const std::vector<KeyRead>& keys, ReadSet& reads, WorkingSet& rows) {
  static const Sql sql = select_sql<Key>("WHERE hash=?");
  for (const KeyRead& read : keys) {
    if (!rows.keys.loaded(read.hash)) {
      auto key = select_row<Key>(database, sql, read.hash);
      if (!key) return std::unexpected(key.error());
      rows.keys.load(read.hash, *key);
    }
    if (const Key* key = rows.keys.find(read.hash); key != nullptr && read.follow)
      add_id(reads, {*read.follow, key->id});
  }
  return {};
}

Result<void> load_orders_of(Database& database, const std::vector<PaymentId>& payments, ReadSet& reads,
                            WorkingSet& rows) {
  for (const PaymentId id : payments) {
    if (rows.order_of_payment.loaded(id)) continue;
    auto order = load_order_of_payment(database, id);
    if (!order) return std::unexpected(order.error());
    if (*order) reads.orders.push_back(**order);
    rows.order_of_payment.load(id, *order);
  }
  return {};
}

template <class Row>
Result<void> load_lists(Database& database, const std::vector<MerchantId>& merchants, WorkingSet& rows) {
  auto& lists = map_of<std::vector<Row>>(rows);
  for (const MerchantId id : merchants) {
    if (lists.loaded(id)) continue;
    auto list = load_list<Row>(database, id);
    if (!list) return std::unexpected(list.error());
    lists.load(id, std::move(*list));
  }
  return {};
}

Result<void> load_idempotency_records(Database& database, const std::vector<Hash16>& hashes, WorkingSet& rows) {
  static const Sql sql =
      select_sql<IdempotencyRecord>("WHERE id=(SELECT record_id FROM idempotency_keys WHERE hash=?)");
  for (const Hash16& hash : hashes) {
    if (rows.idempotency_records.loaded(hash)) continue;
    auto answer = select_row<IdempotencyRecord>(database, sql, hash);
    if (!answer) return std::unexpected(answer.error());
    rows.idempotency_records.load(hash, std::move(*answer));
  }
  return {};
}

template <class Match>
Result<void> load_matches(Database& database, const std::vector<std::int64_t>& documents,
                          SlotMap<std::int64_t, Match>& matches) {
  static const Sql sql = select_sql<Match>("WHERE document_id=?");
  for (const std::int64_t document : documents) {
    if (matches.loaded(document)) continue;
    auto match = select_row<Match>(database, sql, document);
    if (!match) return std::unexpected(match.error());
    matches.load(document, *match);
  }
  return {};
}

// Loads natural keys first, because they name further rows to load. Loads accounts after transfers and holds, because
// those name accounts.
Result<void> load_all(Database& database, const ReadSet& declared, WorkingSet& rows) {
  ReadSet reads = declared;
  if (auto done = load_keys(database, declared.keys, reads, rows); !done) return done;
  if (auto done = load_orders_of(database, declared.payments, reads, rows); !done) return done;
  make_unique(reads.orders);
  if (auto done = load_by_id<OrderAggregate>(database, reads.orders, rows); !done) return done;
  if (auto done = load_by_id<DeliveryAggregate>(database, reads.deliveries, rows); !done) return done;
  if (auto done = load_by_id<UnknownReceiptAggregate>(database, reads.unknown_receipts, rows); !done) return done;
  if (auto done = load_by_id<StatementAggregate>(database, reads.statements, rows); !done) return done;
  if (auto done = load_by_id<DifferenceAggregate>(database, reads.differences, rows); !done) return done;
  if (auto done = load_matches(database, reads.statement_matches, rows.statement_matches); !done) return done;
  if (auto done = load_matches(database, reads.funds_matches, rows.funds_matches); !done) return done;
  if (auto done = load_by_id<Transfer>(database, reads.transfers, rows); !done) return done;
  if (auto done = load_by_id<Hold>(database, reads.holds, rows); !done) return done;
  for (const TransferId id : reads.transfers)
    if (const Transfer* transfer = rows.transfers.find(id); transfer != nullptr && transfer->debit_account_id) {
      reads.accounts.push_back(*transfer->debit_account_id);
      reads.accounts.push_back(*transfer->credit_account_id);
    }
  for (const HoldId id : reads.holds)
    if (const Hold* hold = rows.holds.find(id)) {
      reads.accounts.push_back(hold->account_id);
      reads.accounts.push_back(hold->credit_account_id);
    }
  if (auto done = load_by_id<Account>(database, reads.accounts, rows); !done) return done;
  if (auto done = load_by_id<Price>(database, reads.prices, rows); !done) return done;
  if (auto done = load_by_id<Adjustment>(database, reads.adjustments, rows); !done) return done;
  if (auto done = load_by_id<ApiKey>(database, reads.api_keys, rows); !done) return done;
  if (auto done = load_by_id<ChannelAccount>(database, reads.channel_accounts, rows); !done) return done;
  if (auto done = load_by_id<ChannelRate>(database, reads.channel_rates, rows); !done) return done;
  if (auto done = load_by_id<IdentityCheck>(database, reads.identity_checks, rows); !done) return done;
  if (auto done = load_by_id<Merchant>(database, reads.merchants, rows); !done) return done;
  if (auto done = load_lists<WebhookEndpoint>(database, reads.merchants, rows); !done) return done;
  if (auto done = load_lists<Fee>(database, reads.merchants, rows); !done) return done;
  return load_idempotency_records(database, reads.idempotency_records, rows);
}

}  // namespace

Result<void> load_read_set(Database& database, const ReadSet& reads, WorkingSet& rows) {
  if (database.prepare("BEGIN").step() != StepResult::done) return std::unexpected(database.error("begin"));
  auto loaded = load_all(database, reads, rows);
  if (database.prepare("COMMIT").step() != StepResult::done) return std::unexpected(database.error("end of load"));
  return loaded;
}

}  // namespace finality::sqlite
