#include "store/postgres/write.h"

#include <algorithm>
#include <tuple>

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

template <class Row>
struct Changed {
  const Row* row;
  std::int64_t base_version;  // of roots
};

/// What happened to the rows of one table.
template <class Row>
struct Changes {
  std::vector<const Row*> made;
  std::vector<Changed<Row>> changed;
  std::vector<Claim> claims;
  std::vector<Unchanged> unchanged;
};

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
  Changes<Row>& of() {
    return std::get<Changes<Row>>(changes_);
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

  std::tuple<Changes<Order>, Changes<Payment>, Changes<Receipt>, Changes<Refund>, Changes<Reversal>, Changes<Case>,
             Changes<Delivery>, Changes<Account>, Changes<Hold>, Changes<Transfer>, Changes<Price>, Changes<Merchant>,
             Changes<ApiKey>, Changes<WebhookEndpoint>, Changes<Fee>, Changes<Entry>, Changes<Event>, Changes<Key>,
             Changes<IdempotencyKey>, Changes<Answer>>
      changes_;
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

/// Rows are made and changed in the order of their keys, so that two batches wait for each other's and never in a
/// circle.
template <class Row>
auto key_of(const Row* row) {
  if constexpr (requires {
                  row->id;
                  row->version;
                })
    return row->id.value;
  else if constexpr (requires { row->hash; })
    return row->hash;
  else
    return row->id.value;
}

class Writer {
 public:
  Writer(Connection& connection, Form form) : connection_(connection), form_(form) {}

  template <class Row>
  void write(Changes<Row>& changes) {
    if (!changes.made.empty()) {
      std::ranges::sort(changes.made, {}, key_of<Row>);
      send<Row>(kInsert<Row>, all_columns(changes.made), changes.made.size());
    }
    if constexpr (RowTraits<Row>::kind != RowKind::log) {
      if (!changes.changed.empty()) write_changed<Row>(changes.changed);
      if constexpr (kClaimed<Row>)
        if (!changes.claims.empty()) write_claims<Row>(changes.claims);
    }
  }
  /// The roots first that nothing will be written to.
  template <class Row>
  void check(const Changes<Row>& changes) {
    if (changes.unchanged.empty()) return;
    std::vector<std::int64_t> ids;
    std::vector<MerchantId> merchants;
    std::vector<std::int64_t> versions;
    for (const Unchanged& one : changes.unchanged) {
      ids.push_back(one.id);
      merchants.push_back(one.merchant_id);
      versions.push_back(one.version);
    }
    send<Row>(kUnchanged<Row>, Parameters(ids, merchants, versions), changes.unchanged.size());
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
    send<IdempotencyKey>(kDropExpired, Parameters(hashes, merchants, answers), expired.size());
  }
  std::vector<Expected> expected() && { return std::move(expected_); }

 private:
  template <class Row>
  void write_changed(std::vector<Changed<Row>>& changed) {
    std::ranges::sort(changed, {}, [](const Changed<Row>& one) { return key_of<Row>(one.row); });
    std::vector<const Row*> rows;
    std::vector<std::int64_t> base_versions;
    for (const Changed<Row>& one : changed) {
      rows.push_back(one.row);
      base_versions.push_back(one.base_version);
    }
    Parameters columns = update_columns(rows);
    if constexpr (RowTraits<Row>::kind == RowKind::root) columns.add(base_versions);
    send<Row>(kUpdate<Row>, columns, changed.size());
  }
  template <class Row>
  void write_claims(const std::vector<Claim>& claims) {
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
    send<Row>(kClaim<Row>, Parameters(ids, merchants, due_at, base_due_at), claims.size());
  }
  template <class Row>
  void send(const Statement& statement, const Parameters& parameters, std::size_t rows) {
    connection_.send(statement, parameters, form_);
    expected_.push_back({RowTraits<Row>::table, rows});
  }

  Connection& connection_;
  Form form_;
  std::vector<Expected> expected_;
};

}  // namespace

std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form) {
  Collector changes(rows);
  Writer writer(connection, form);
  writer.check(changes.of<Order>());
  writer.check(changes.of<Delivery>());
  writer.check(changes.of<Account>());
  writer.write(changes.of<Order>());
  writer.write(changes.of<Payment>());
  writer.write(changes.of<Receipt>());
  writer.write(changes.of<Refund>());
  writer.write(changes.of<Reversal>());
  writer.write(changes.of<Delivery>());
  writer.write(changes.of<Case>());
  writer.write(changes.of<Entry>());  // the journal first, then the balances
  writer.write(changes.of<Account>());
  writer.write(changes.of<Hold>());
  writer.write(changes.of<Transfer>());
  writer.write(changes.of<Price>());
  writer.write(changes.of<Merchant>());
  writer.write(changes.of<ApiKey>());
  writer.write(changes.of<WebhookEndpoint>());
  writer.write(changes.of<Fee>());
  writer.write(changes.of<Event>());
  writer.write(changes.of<Key>());
  writer.drop(changes.expired());
  writer.write(changes.of<IdempotencyKey>());
  writer.write(changes.of<Answer>());
  return std::move(writer).expected();
}

}  // namespace finality::postgres
