#include "store/postgres/write.h"

#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <algorithm>
#include <array>
#include <tuple>

#include "model/row_types.h"
#include "store/archive/archivist.h"
#include "store/postgres/rows.h"
#include "store/replaced_files.h"
#include "store/sql/due.h"
#include "store/sql/packed_events.h"

namespace finality::postgres {
namespace {

using store::kIsClaimed;

/// A change of due_at that does not change the root's version. It takes effect only if the stored due_at still equals
/// base_due_at, so that only one of two concurrent claims succeeds.
struct Claim {
  std::int64_t id;
  MerchantId merchant_id;
  std::optional<Time> due_at;
  std::optional<Time> base_due_at;
};

/// A cached root that the batch read and did not change. The commit checks that its version is still the stored one.
struct Unchanged {
  std::int64_t id;
  MerchantId merchant_id;
  std::int64_t version;
};

struct Changed {
  const void* row;
  std::int64_t base_version;  // version of a root before the change; 0 for other rows
};

/// All changes of a batch to one table: inserts, updates, claims, and rows whose versions are checked.
struct Changes {
  std::vector<const void*> made;
  std::vector<Changed> changed;
  std::vector<Claim> claims;
  std::vector<Unchanged> unchanged;
};

/// An expired idempotency key that a new key replaces. The deletion compares the record id, so that a concurrent batch
/// that replaces the same key conflicts.
struct Expired {
  Hash16 hash;
  MerchantId merchant_id;
  IdempotencyRecordId answer;
};

/// Root types that CachingSession (store/cache/caching_session.h) caches, so that their versions must be checked.
using RecalledRows = boost::mp11::mp_push_back<boost::mp11::mp_transform<RootRow, Aggregates>, Account>;

class Collector {
 public:
  explicit Collector(const WorkingSet& rows) {
    for_each_member(rows, [this](const auto& member) { take(member); });
    for (const IdempotencyKey& key : idempotency_keys_) of<IdempotencyKey>().made.push_back(&key);
  }

  template <class Row>
  Changes& of() {
    return changes_[boost::mp11::mp_find<WrittenRows, Row>::value];
  }
  const std::vector<Expired>& expired() const { return expired_; }

 private:
  template <class Row>
  void take_recalled(const Row& base, const Row& now) {
    if (base.version == now.version) of<Row>().unchanged.push_back({base.id.value, base.merchant_id, base.version});
  }
  /// Records the change of a root or a hold. The update of a hold does not compare the hold's version, because the
  /// version of its account guards it.
  template <class Row>
  void take_root(const Row* base, const Row& now) {
    if (base == nullptr) return of<Row>().made.push_back(&now);
    if (base->version == now.version) return;
    of<Row>().changed.push_back({&now, base->version});
  }
  /// Records new children and changed children. Their updates compare no version, because the root's version guards
  /// them.
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
    if constexpr (kIsClaimed<Row>)
      if (base.due_at != now.due_at)
        of<Row>().claims.push_back({now.id.value, now.merchant_id, now.due_at, base.due_at});
  }
  template <Aggregate T>
  void take_claims(const T& base, const T& now) {
    take_claim(root_of(base), root_of(now));
    for_each_child_type<T>([&](std::string_view, auto member) {
      const auto& rows = now.*member;
      FINALITY_CHECK((base.*member).size() == rows.size(), "a row was added without a new version of its root");
      for (std::size_t i = 0; i < rows.size(); ++i) take_claim((base.*member)[i], rows[i]);
    });
  }

  template <class AnId, Aggregate T>
  void take(const SlotMap<AnId, T>& map) {
    map.each([this](const AnId&, const std::optional<T>& base, const std::optional<T>& now) {
      if (!now) return;
      if (base && root_of(*base).version == root_of(*now).version) return take_claims(*base, *now);
      take_root(base ? &root_of(*base) : nullptr, root_of(*now));
      for_each_child_type<T>(
          [&](std::string_view, auto member) { take_children(base ? &(*base.*member) : nullptr, *now.*member); });
    });
    map.each_recalled([this](const T& base, const T& now) { take_recalled(root_of(base), root_of(now)); });
  }
  template <class AnId, StoredRow Row>
  void take(const SlotMap<AnId, Row>& map) {
    map.each([this](const AnId&, const std::optional<Row>& base, const std::optional<Row>& now) {
      if (now) take_root(base ? &*base : nullptr, *now);
    });
    if constexpr (boost::mp11::mp_contains<RecalledRows, Row>::value)
      map.each_recalled([this](const Row& base, const Row& now) { take_recalled(base, now); });
  }
  /// Records changes of roots that are loaded as a merchant's list.
  template <class Row>
  void take(const SlotMap<MerchantId, std::vector<Row>>& lists) {
    lists.each([this](const MerchantId&, const auto& base, const auto& now) {
      if (!now) return;
      for (const Row& row : *now) this->take_root(base ? find_row(*base, row.id) : nullptr, row);
    });
  }
  template <class Row>
  void take(const std::vector<Row>& log) {
    for (const Row& row : log) of<Row>().made.push_back(&row);
  }
  void take(const std::vector<Event>& events) {
    changes_of_roots_ = store::pack(events);
    take(changes_of_roots_);
  }
  void take(const std::vector<RestoredOrder>&) {}  // send_restore() writes them
  template <class Match>
  void take(const SlotMap<std::int64_t, Match>& matches) {
    matches.each([this](std::int64_t, const auto& base, const auto& now) {
      if (now && !base) this->of<Match>().made.push_back(&*now);
    });
  }
  void take(const SlotMap<Hash16, Key, Hash16Hasher>& keys) {
    keys.each([this](const Hash16&, const auto& base, const auto& now) {
      if (now && !base) of<Key>().made.push_back(&*now);
    });
  }
  void take(const SlotMap<Hash16, IdempotencyRecord, Hash16Hasher>& answers) {
    answers.each([this](const Hash16& hash, const auto& base, const auto& now) {
      if (!now || (base && base->id == now->id)) return;
      if (base) expired_.push_back({hash, base->merchant_id, base->id});
      idempotency_keys_.push_back({hash, now->merchant_id, now->id});
      of<IdempotencyRecord>().made.push_back(&*now);
    });
  }
  void take(const SlotMap<PaymentId, OrderId>&) {}  // a payment's order never changes

  std::array<Changes, boost::mp11::mp_size<WrittenRows>::value> changes_;
  std::vector<Change> changes_of_roots_;
  std::vector<IdempotencyKey> idempotency_keys_;
  std::vector<Expired> expired_;
};

template <class Row>
Declared claim_declared() {
  const std::string table(RowTraits<Row>::table);
  // The plan must find rows by id, because many rows may have the same due_at. coalesce() keeps it from using the index
  // on due_at.
  return {.name = "write.claim." + table,
          .shards = Shards::merchants,
          .tables = table,
          .purpose = "Moves due_at where it is still what the batch read",
          .text = fmt::format("UPDATE {} AS t SET due_at = v.due_at "
                              "FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) "
                              "AS v(id, merchant_id, due_at, base_due_at) WHERE t.id = v.id "
                              "AND coalesce(t.due_at, 0) = v.base_due_at@of",
                              table),
          .owners = owners_of_joined<Row>(2)};
}

template <class Row>
inline const SqlStatement kClaim{claim_declared<Row>()};

template <class Row>
Declared unchanged_declared() {
  const std::string table(RowTraits<Row>::table);
  return {.name = "write.unchanged." + table,
          .shards = Shards::merchants,
          .tables = table,
          .purpose = "Checks that cached rows which the batch did not change are current",
          .text = fmt::format("SELECT t.id FROM {} AS t JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) "
                              "AS v(id, merchant_id, version) ON t.id = v.id AND t.version = v.version@of "
                              "ORDER BY t.id@lock",
                              table),
          .owners = owners_of_joined<Row>(2)};
}

template <class Row>
inline const SqlStatement kUnchanged{unchanged_declared<Row>()};

const SqlStatement kDropExpired{
    {.name = "write.delete.idempotency_keys",
     .shards = Shards::merchants,
     .tables = "idempotency_keys",
     .purpose = "Deletes expired idempotency keys that new ones replace",
     .text = "DELETE FROM idempotency_keys AS t USING unnest($1::bytea[], $2::bigint[], $3::bigint[]) "
             "AS v(hash, merchant_id, record_id) WHERE t.hash = v.hash "
             "AND t.record_id = v.record_id@of",
     .owners = owners_of_joined<IdempotencyKey>(2)}};

const SqlStatement kDropFiles{{.name = "write.delete.statement_parts",
                               .shards = Shards::merchants,
                               .tables = "statement_parts",
                               .purpose = "Deletes the parts of files of statements that are stored again",
                               .text = "DELETE FROM statement_parts AS t USING unnest($1::bigint[], $2::bigint[]) "
                                       "AS v(statement_id, merchant_id) WHERE t.statement_id = v.statement_id@of",
                               .owners = owners_of_joined<StatementPart>(2)}};

/// The statements that write one table. `update` is null for a table of immutable rows, `claim` for a table without
/// claims.
struct Table {
  const store::RowType& type;
  const Sharding& sharding;
  const SqlStatement& insert;
  const SqlStatement* update = nullptr;
  const SqlStatement* claim = nullptr;
};
template <class Row>
Table table_of() {
  Table table{store::row_type<Row>(), kSharding<Row>, kInsert<Row>};
  if constexpr (store::kIsUpdated<Row>) table.update = &kUpdate<Row>;
  if constexpr (kIsClaimed<Row>) table.claim = &kClaim<Row>;
  return table;
}

/// Order in which rows are inserted and updated: by the last column of the primary key, a hash or a number. All batches
/// use it, so that they cannot deadlock.
class KeyOrder {
 public:
  explicit KeyOrder(const store::RowType& type) {
    for (const store::Column& column : type.columns)
      if (column.is_key &&
          (column.type->kind == store::ValueKind::hash || column.type->kind == store::ValueKind::number))
        column_ = &column;
    FINALITY_CHECK(column_ != nullptr, "a primary key has neither a hash nor a number");
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
  /// Adds the statement that checks the versions of cached roots that the batch did not change.
  template <class Row>
  void check(const Changes& changes) {
    if (!changes.unchanged.empty()) check(kUnchanged<Row>, RowTraits<Row>::table, changes.unchanged);
  }
  void drop(const std::vector<Expired>& expired) {
    if (expired.empty()) return;
    std::vector<Hash16> hashes;
    std::vector<MerchantId> merchants;
    std::vector<IdempotencyRecordId> answers;
    for (const Expired& one : expired) {
      hashes.push_back(one.hash);
      merchants.push_back(one.merchant_id);
      answers.push_back(one.answer);
    }
    send(kDropExpired, RowTraits<IdempotencyKey>::table, Parameters(hashes, merchants, answers), expired.size());
  }
  /// Deletes all parts of the statements. Any number of them may have expired.
  void drop_files(const std::vector<StatementId>& ids) {
    if (ids.empty()) return;
    connection_.send(kDropFiles, Parameters(ids, std::vector<MerchantId>(ids.size(), kPlatform)), form_);
    expected_.push_back({RowTraits<StatementPart>::table, std::nullopt});
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
  void check(const SqlStatement& statement, std::string_view table, const std::vector<Unchanged>& unchanged) {
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
    FINALITY_CHECK(table.update != nullptr, "a write-once row was changed");
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
  void send(const SqlStatement& statement, std::string_view table, const Parameters& parameters, std::size_t rows) {
    connection_.send(statement, parameters, form_);
    expected_.push_back({table, rows});
  }

  Connection& connection_;
  Form form_;
  std::vector<Expected> expected_;
};

const SqlStatement kRenameKeys{{.name = "archive.rename_keys",
                                .shards = Shards::every,
                                .tables = "keys",
                                .purpose = "Points natural keys to an archived order, and back when it is restored",
                                .text = "UPDATE keys AS t SET id = v.new_id "
                                        "FROM unnest($1::bytea[], $2::bigint[], $3::bigint[]) "
                                        "AS v(hash, id, new_id) WHERE t.hash = v.hash AND t.id = v.id"}};
const SqlStatement kDeleteArchived{{.name = "archive.restore.archived_orders",
                                    .shards = Shards::every,
                                    .tables = "archived_orders",
                                    .purpose = "Deletes the archive record of a restored order",
                                    .text = "DELETE FROM archived_orders WHERE id = $1 AND archive = $2"}};

class Restoring {
 public:
  Restoring(Connection& connection, Form form) : connection_(connection), form_(form) {}

  std::vector<Expected> send(const WholeOrder& order, const std::string& archive) {
    send(kDeleteArchived, RowTraits<ArchivedOrder>::table, Parameters(order.rows.order.id, archive), 1);
    rename_keys(order);
    for_each_row(order, [this](const auto& row) { add(row); });
    const std::vector<Change> changes = store::pack(events_);
    for (const Change& change : changes) add(change);
    std::apply([this](const auto&... rows) { (insert(rows), ...); }, rows_);
    return std::move(expected_);
  }

 private:
  template <class Row>
  using Rows = std::vector<const Row*>;

  void rename_keys(const WholeOrder& order) {
    std::vector<Hash16> hashes;
    std::vector<OrderId> ids;
    std::vector<std::int64_t> new_ids;
    for (const store::RenamedKey& key : store::keys_of(order.rows)) {
      hashes.push_back(key.hash);
      ids.push_back(key.order_id);
      new_ids.push_back(key.id);
    }
    send(kRenameKeys, RowTraits<Key>::table, Parameters(hashes, ids, new_ids), hashes.size());
  }
  template <class Row>
  void add(const Row& row) {
    std::get<Rows<Row>>(rows_).push_back(&row);
  }
  void add(const Event& event) { events_.push_back(event); }
  template <class Row>
  void insert(const Rows<Row>& rows) {
    if (rows.empty()) return;
    const std::vector<const void*> all(rows.begin(), rows.end());
    connection_.send(kInsert<Row>, all_columns(store::row_type<Row>(), all), form_);
    expected_.push_back({RowTraits<Row>::table, rows.size()});
  }
  void send(const SqlStatement& statement, std::string_view table, const Parameters& parameters, std::size_t rows) {
    connection_.send(statement, parameters);
    expected_.push_back({table, rows});
  }

  Connection& connection_;
  Form form_;  // variant of the INSERT statements (store/postgres/statement.h)
  std::vector<Event> events_;
  boost::mp11::mp_apply<std::tuple, boost::mp11::mp_transform<Rows, WrittenRows>> rows_;  // the rows to insert, by type
  std::vector<Expected> expected_;
};

}  // namespace

const SqlStatement& rename_keys_statement() { return kRenameKeys; }

std::vector<Expected> send_restore(Connection& connection, const WholeOrder& order, const std::string& archive,
                                   Form form) {
  return Restoring(connection, form).send(order, archive);
}

std::vector<Expected> send_changes(Connection& connection, const WorkingSet& rows, Form form) {
  Collector changes(rows);
  Writer writer(connection, form);
  for_each_row_type<RecalledRows>([&]<class Row>(std::type_identity<Row>) { writer.check<Row>(changes.of<Row>()); });
  for_each_row_type<WrittenRows>([&]<class Row>(std::type_identity<Row>) {
    if constexpr (std::is_same_v<Row, IdempotencyKey>) writer.drop(changes.expired());
    if constexpr (std::is_same_v<Row, StatementPart>) writer.drop_files(store::replaced_files(rows));
    writer.write<Row>(changes.of<Row>());
  });
  std::vector<Expected> expected = std::move(writer).expected();
  for (const RestoredOrder& one : rows.restored_orders)
    std::ranges::copy(send_restore(connection, *one.order, one.archive, form), std::back_inserter(expected));
  return expected;
}

}  // namespace finality::postgres
