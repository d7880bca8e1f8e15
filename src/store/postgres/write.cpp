#include "store/postgres/write.h"

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <algorithm>
#include <array>

#include "model/natural_key.h"
#include "store/postgres/rows.h"

namespace finality::postgres {
namespace {

/// Whose due instant may move while its root's version stays.
template <class Row>
inline constexpr bool kClaimed = std::is_same_v<Row, Payment> || std::is_same_v<Row, Refund> ||
                                 std::is_same_v<Row, Reversal> || std::is_same_v<Row, Delivery>;

/// A due instant that moved while the root's version stayed: only one of two claimants finds the instant both read.
struct Claim {
  std::int64_t id;
  MerchantId merchant_id;
  std::optional<Time> due_at;
  std::optional<Time> base_due_at;
};

/// A root that was decided upon as it was remembered, and not changed.
struct Unchanged {
  std::int64_t id;
  MerchantId merchant_id;
  std::int64_t version;
};

struct Changed {
  const void* row;
  std::int64_t base_version;  // of roots
};

/// What happened to the rows of one table.
struct Changes {
  std::vector<const void*> made;
  std::vector<Changed> changed;
  std::vector<Claim> claims;
  std::vector<Unchanged> unchanged;
};

/// The row types that a batch writes.
using Written =
    boost::mp11::mp_list<Order, Payment, Receipt, Refund, Reversal, Case, Return, Delivery, Account, Hold, Transfer,
                         Price, Merchant, ApiKey, WebhookEndpoint, Fee, Entry, Event, Key, IdempotencyKey, Answer>;

/// An expired idempotency key gives way, once: whoever read it too finds another answer there.
struct Expired {
  Hash16 hash;
  MerchantId merchant_id;
  AnswerId answer;
};

class Collector {
 public:
  explicit Collector(const WorkingSet& rows) {
    rows.orders.each([this](const auto&, const auto& base, const auto& now) { take_order(base, now); });
    rows.deliveries.each([this](const auto&, const auto& base, const auto& now) { take_delivery(base, now); });
    take_roots(rows.accounts);
    take_roots(rows.transfers);
    take_roots(rows.prices);
    take_roots(rows.merchants);
    take_roots(rows.api_keys);
    take_lists(rows.endpoints);
    take_lists(rows.fees);
    rows.holds.each([this](const auto&, const auto& base, const auto& now) { take_hold(base, now); });
    for (const Entry& row : rows.entries) of<Entry>().made.push_back(&row);
    for (const Event& row : rows.events) of<Event>().made.push_back(&row);
    rows.keys.each([this](const auto&, const auto& base, const auto& now) {
      if (now && !base) of<Key>().made.push_back(&*now);
    });
    rows.answers.each([this](const Hash16& hash, const auto& base, const auto& now) { take_answer(hash, base, now); });
    for (const IdempotencyKey& key : idempotency_keys_) of<IdempotencyKey>().made.push_back(&key);
    rows.orders.each_recalled([this](const auto& base, const auto& now) { take_recalled(base.order, now.order); });
    rows.deliveries.each_recalled(
        [this](const auto& base, const auto& now) { take_recalled(base.delivery, now.delivery); });
    rows.accounts.each_recalled([this](const Account& base, const Account& now) { take_recalled(base, now); });
  }

  template <class Row>
  Changes& of() {
    return changes_[boost::mp11::mp_find<Written, Row>::value];
  }
  const std::vector<Expired>& expired() const { return expired_; }

 private:
  template <class Row>
  void take_recalled(const Row& base, const Row& now) {
    if (base.version == now.version) of<Row>().unchanged.push_back({base.id.value, base.merchant_id, base.version});
  }
  template <class Row>
  void take_root(const Row* base, const Row& now) {
    if (base == nullptr) return of<Row>().made.push_back(&now);
    if (base->version == now.version) return;
    of<Row>().changed.push_back({&now, base->version});
  }
  template <class Map>
  void take_roots(const Map& map) {
    map.each([this](const auto&, const auto& base, const auto& now) {
      if (now) this->take_root(base ? &*base : nullptr, *now);
    });
  }
  /// Roots that are loaded as a merchant's list.
  template <class Map>
  void take_lists(const Map& map) {
    map.each([this](const auto&, const auto& base, const auto& now) {
      if (!now) return;
      for (const auto& row : *now) this->take_root(base ? find_row(*base, row.id) : nullptr, row);
    });
  }
  /// The root's version guards them: what is new is inserted, what differs is written over.
  template <class Row>
  void take_children(const std::vector<Row>* base, const std::vector<Row>& now) {
    for (const Row& row : now) {
      const Row* before = base != nullptr ? find_row(*base, row.id) : nullptr;
      if (before == nullptr)
        of<Row>().made.push_back(&row);
      else if (!store::same_row(*before, row))
        of<Row>().changed.push_back({&row, 0});
    }
  }
  template <class Row>
  void take_claim(const Row& base, const Row& now) {
    static_assert(kClaimed<Row>);
    if (base.due_at != now.due_at) of<Row>().claims.push_back({now.id.value, now.merchant_id, now.due_at, base.due_at});
  }
  template <class Row>
  void take_claims(const std::vector<Row>& base, const std::vector<Row>& now) {
    for (std::size_t i = 0; i < now.size(); ++i) take_claim(base[i], now[i]);
  }

  void take_order(const std::optional<OrderAggregate>& base, const std::optional<OrderAggregate>& now) {
    if (!now) return;
    if (base && base->order.version == now->order.version) {
      FINALITY_CHECK(base->payments.size() == now->payments.size(), "a payment was added without its order's version");
      take_claims(base->payments, now->payments);
      take_claims(base->refunds, now->refunds);
      take_claims(base->reversals, now->reversals);
      return;
    }
    take_root(base ? &base->order : nullptr, now->order);
    take_children(base ? &base->payments : nullptr, now->payments);
    take_children(base ? &base->receipts : nullptr, now->receipts);
    take_children(base ? &base->refunds : nullptr, now->refunds);
    take_children(base ? &base->reversals : nullptr, now->reversals);
    take_children(base ? &base->cases : nullptr, now->cases);
    take_children(base ? &base->returns : nullptr, now->returns);
  }
  void take_delivery(const std::optional<DeliveryAggregate>& base, const std::optional<DeliveryAggregate>& now) {
    if (!now) return;
    if (base && base->delivery.version == now->delivery.version) return take_claim(base->delivery, now->delivery);
    take_root(base ? &base->delivery : nullptr, now->delivery);
    take_children(base ? &base->cases : nullptr, now->cases);
  }
  /// Their accounts' versions guard them.
  void take_hold(const std::optional<Hold>& base, const std::optional<Hold>& now) {
    if (!now || (base && base->version == now->version)) return;
    if (base)
      of<Hold>().changed.push_back({&*now, 0});
    else
      of<Hold>().made.push_back(&*now);
  }
  void take_answer(const Hash16& hash, const std::optional<Answer>& base, const std::optional<Answer>& now) {
    if (!now || (base && base->id == now->id)) return;
    if (base) expired_.push_back({hash, base->merchant_id, base->id});
    idempotency_keys_.push_back({hash, now->merchant_id, now->id});
    of<Answer>().made.push_back(&*now);
  }

  std::array<Changes, boost::mp11::mp_size<Written>::value> changes_;
  std::vector<IdempotencyKey> idempotency_keys_;
  std::vector<Expired> expired_;
};

template <class Row>
Declared claim_declared() {
  const std::string table(RowTraits<Row>::table);
  // By its id: many rows may be due at one instant, and coalesce keeps the index on due_at out of it.
  return {.name = "write.claim." + table,
          .shards = Shards::merchants,
          .tables = table,
          .purpose = "due instants that a batch moved, where they are what it read",
          .text = fmt::format("UPDATE {} AS t SET due_at = v.due_at "
                              "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) "
                              "AS v(id, merchant_id, due_at, base_due_at) WHERE t.id = v.id "
                              "AND coalesce(t.due_at, 0) = v.base_due_at@of",
                              table),
          .owners = owners_of_joined<Row>(2)};
}

template <class Row>
inline const Statement kClaim{claim_declared<Row>()};

template <class Row>
Declared unchanged_declared() {
  const std::string table(RowTraits<Row>::table);
  return {.name = "write.unchanged." + table,
          .shards = Shards::merchants,
          .tables = table,
          .purpose = "rows that a batch remembered and did not change, where they are still so",
          .text = fmt::format("SELECT t.id FROM {} AS t JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) "
                              "AS v(id, merchant_id, version) ON t.id = v.id AND t.version = v.version@of "
                              "ORDER BY t.id@lock",
                              table),
          .owners = owners_of_joined<Row>(2)};
}

template <class Row>
inline const Statement kUnchanged{unchanged_declared<Row>()};

const Statement kDropExpired{
    {.name = "write.delete.idempotency_keys",
     .shards = Shards::merchants,
     .tables = "idempotency_keys",
     .purpose = "expired idempotency keys that give way to new ones",
     .text = "DELETE FROM idempotency_keys AS t USING unnest($1::bytea[], $2::bigint[], $3::bigint[]) "
             "AS v(hash, merchant_id, answer_id) WHERE t.hash = v.hash "
             "AND t.answer_id = v.answer_id@of",
     .owners = owners_of_joined<IdempotencyKey>(2)}};

/// How the rows of one table are written. A statement that the table does not need is null.
struct Table {
  const store::RowType& type;
  const Sharding& sharding;
  const Statement& insert;
  const Statement* update = nullptr;
  const Statement* claim = nullptr;
};
template <class Row>
Table table_of() {
  Table table{store::kRowType<Row>, kSharding<Row>, kInsert<Row>};
  if constexpr (RowTraits<Row>::kind != RowKind::log) table.update = &kUpdate<Row>;
  if constexpr (kClaimed<Row>) table.claim = &kClaim<Row>;
  return table;
}

/// Rows are made and changed in the order of their hash or id, so that two batches wait for each other's and never in a
/// circle.
class KeyOrder {
 public:
  explicit KeyOrder(const store::RowType& type) {
    for (const store::Column& column : type.columns)
      if (column.is_key && (column.name == "hash" || column.name == "id")) column_ = &column;
    FINALITY_CHECK(column_ != nullptr, "a primary key without hash or id");
  }
  bool operator()(const void* one, const void* other) const {
    const void* left = column_->in(one);
    const void* right = column_->in(other);
    if (column_->type->kind == store::ValueKind::hash)
      return *static_cast<const Hash16*>(left) < *static_cast<const Hash16*>(right);
    return *static_cast<const std::int64_t*>(left) < *static_cast<const std::int64_t*>(right);
  }
  bool operator()(const Changed& one, const Changed& other) const { return (*this)(one.row, other.row); }

 private:
  const store::Column* column_ = nullptr;
};

class Writer {
 public:
  Writer(Connection& connection, Form form) : connection_(connection), form_(form) {}

  template <class Row>
  void write(Changes& changes) {
    static const Table table = table_of<Row>();
    write(table, changes);
  }
  /// The roots first that nothing will be written to.
  template <class Row>
  void check(const Changes& changes) {
    if (!changes.unchanged.empty()) check(kUnchanged<Row>, RowTraits<Row>::table, changes.unchanged);
  }
  void drop(const std::vector<Expired>& expired) {
    if (expired.empty()) return;
    std::vector<Hash16> hashes;
    std::vector<MerchantId> merchants;
    std::vector<AnswerId> answers;
    for (const Expired& one : expired) {
      hashes.push_back(one.hash);
      merchants.push_back(one.merchant_id);
      answers.push_back(one.answer);
    }
    send(kDropExpired, RowTraits<IdempotencyKey>::table, Parameters(hashes, merchants, answers), expired.size());
  }
  std::vector<Expected> expected() && { return std::move(expected_); }

 private:
  void write(const Table& table, Changes& changes) {
    if (!changes.made.empty()) {
      std::ranges::sort(changes.made, KeyOrder(table.type));
      send(table.insert, table.type.table, all_columns(table.type, changes.made), changes.made.size());
    }
    if (!changes.changed.empty()) write_changed(table, changes.changed);
    if (!changes.claims.empty()) write_claims(table, changes.claims);
  }
  void check(const Statement& statement, std::string_view table, const std::vector<Unchanged>& unchanged) {
    std::vector<std::int64_t> ids;
    std::vector<MerchantId> merchants;
    std::vector<std::int64_t> versions;
    for (const Unchanged& one : unchanged) {
      ids.push_back(one.id);
      merchants.push_back(one.merchant_id);
      versions.push_back(one.version);
    }
    send(statement, table, Parameters(ids, merchants, versions), unchanged.size());
  }
  void write_changed(const Table& table, std::vector<Changed>& changed) {
    FINALITY_CHECK(table.update != nullptr, "a row that is written once was changed");
    std::ranges::sort(changed, KeyOrder(table.type));
    std::vector<const void*> rows;
    std::vector<std::int64_t> base_versions;
    for (const Changed& one : changed) {
      rows.push_back(one.row);
      base_versions.push_back(one.base_version);
    }
    Parameters columns = update_columns(table.type, table.sharding, rows);
    if (table.type.kind == RowKind::root) columns.add(base_versions);
    send(*table.update, table.type.table, columns, changed.size());
  }
  void write_claims(const Table& table, const std::vector<Claim>& claims) {
    std::vector<std::int64_t> ids;
    std::vector<MerchantId> merchants;
    std::vector<std::optional<Time>> due_at;
    std::vector<std::optional<Time>> base_due_at;
    for (const Claim& claim : claims) {
      ids.push_back(claim.id);
      merchants.push_back(claim.merchant_id);
      due_at.push_back(claim.due_at);
      base_due_at.push_back(claim.base_due_at);
    }
    send(*table.claim, table.type.table, Parameters(ids, merchants, due_at, base_due_at), claims.size());
  }
  void send(const Statement& statement, std::string_view table, const Parameters& parameters, std::size_t rows) {
    connection_.send(statement, parameters, form_);
    expected_.push_back({table, rows});
  }

  Connection& connection_;
  Form form_;
  std::vector<Expected> expected_;
};

}  // namespace

std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form) {
  Collector changes(rows);
  Writer writer(connection, form);
  writer.check<Order>(changes.of<Order>());
  writer.check<Delivery>(changes.of<Delivery>());
  writer.check<Account>(changes.of<Account>());
  writer.write<Order>(changes.of<Order>());
  writer.write<Payment>(changes.of<Payment>());
  writer.write<Receipt>(changes.of<Receipt>());
  writer.write<Refund>(changes.of<Refund>());
  writer.write<Reversal>(changes.of<Reversal>());
  writer.write<Delivery>(changes.of<Delivery>());
  writer.write<Case>(changes.of<Case>());
  writer.write<Return>(changes.of<Return>());
  writer.write<Entry>(changes.of<Entry>());  // the journal first, then the balances
  writer.write<Account>(changes.of<Account>());
  writer.write<Hold>(changes.of<Hold>());
  writer.write<Transfer>(changes.of<Transfer>());
  writer.write<Price>(changes.of<Price>());
  writer.write<Merchant>(changes.of<Merchant>());
  writer.write<ApiKey>(changes.of<ApiKey>());
  writer.write<WebhookEndpoint>(changes.of<WebhookEndpoint>());
  writer.write<Fee>(changes.of<Fee>());
  writer.write<Event>(changes.of<Event>());
  writer.write<Key>(changes.of<Key>());
  writer.drop(changes.expired());
  writer.write<IdempotencyKey>(changes.of<IdempotencyKey>());
  writer.write<Answer>(changes.of<Answer>());
  return std::move(writer).expected();
}

}  // namespace finality::postgres
