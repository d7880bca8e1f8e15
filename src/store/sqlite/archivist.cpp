#include "store/sqlite/archivist.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/id.h"
#include "store/sql/packed_events.h"
#include "store/sql/waiting_orders.h"
#include "store/sqlite/load.h"
#include "store/sqlite/restore.h"
#include "store/sqlite/rows.h"
#include "store/sqlite/store.h"

namespace finality::sqlite {
namespace {

using store::WholeDelivery;
using store::WholeOrder;

class SqliteArchivist final : public store::Archivist {
 public:
  /// `owner` is the open store, which holds the file lock while this exists.
  SqliteArchivist(std::unique_ptr<Store> owner, Database database)
      : owner_(std::move(owner)), database_(std::move(database)) {}

  Result<std::vector<OrderId>> candidates(OrderId after, Time before, std::size_t limit) override {
    SqlStatement statement = database_.prepare(
        "SELECT id FROM orders WHERE id>? AND id<? AND due_at IS NULL AND state IN ('succeeded', 'failed', 'closed') "
        "ORDER BY id LIMIT ?");
    statement.bind(after).bind(first_id_at(before)).bind(static_cast<std::int64_t>(limit));
    return ids_of<OrderId>(statement, "read orders");
  }
  Result<std::vector<OrderId>> waiting(const std::vector<OrderId>& ids) override {
    static constexpr store::WaitingParameters kParameters{.is_order = "= ?1", .account = "?2", .since = "?3"};
    static const Sql of_trades(store::waiting_orders_sql(StatementKind::trades, kParameters));
    static const Sql of_funds(store::waiting_orders_sql(StatementKind::funds, kParameters));
    const auto accounts = accounts_with_statements();
    if (!accounts) return std::unexpected(accounts.error());
    std::vector<OrderId> found;
    for (const OrderId id : ids)
      for (const store::AccountWithStatements& account : *accounts) {
        SqlStatement statement = database_.prepare(account.kind == StatementKind::funds ? of_funds : of_trades);
        statement.bind(id).bind(account.id).bind(account.since);
        auto rows = ids_of<OrderId>(statement, "find orders that wait for statements");
        if (!rows) return rows;
        found.insert(found.end(), rows->begin(), rows->end());
      }
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    return found;
  }
  Result<std::vector<WholeOrder>> read(const std::vector<OrderId>& ids) override {
    if (auto begun = run("BEGIN"); !begun) return std::unexpected(begun.error());
    auto orders = load(ids);
    if (auto ended = run("COMMIT"); !ended && orders) return std::unexpected(ended.error());
    return orders;
  }
  Result<std::vector<ArchivedOrder>> archived(const std::vector<OrderId>& ids) override {
    static const Sql sql = select_sql<ArchivedOrder>("WHERE id=?");
    std::vector<ArchivedOrder> found;
    for (const OrderId id : ids) {
      auto row = select_row<ArchivedOrder>(database_, sql, id);
      if (!row) return std::unexpected(row.error());
      if (*row) found.push_back(std::move(**row));
    }
    return found;
  }
  Result<std::vector<OrderId>> remove(const std::vector<OrderId>& ids, const std::string& archive, Time now,
                                      const IsRemovable& is_removable) override {
    if (auto begun = run("BEGIN IMMEDIATE"); !begun) return std::unexpected(begun.error());
    auto removed = remove_in_transaction(ids, archive, now, is_removable);
    const auto ended = removed ? run("COMMIT") : run("ROLLBACK");
    if (removed && !ended) return std::unexpected(ended.error());
    return removed;
  }
  Result<void> restore(const WholeOrder& order, const std::string& archive) override {
    if (auto begun = run("BEGIN IMMEDIATE"); !begun) return begun;
    auto restored = restore_in_transaction(order, archive);
    auto ended = restored ? run("COMMIT") : run("ROLLBACK");
    return restored ? ended : restored;
  }

 private:
  Result<void> run(const char* sql) {
    if (database_.prepare(sql).step() != StepResult::done) return std::unexpected(database_.error(sql));
    return {};
  }
  /// Runs an INSERT, UPDATE or DELETE statement. Returns the number of changed rows.
  template <class... Values>
  Result<std::int64_t> change(const std::string& sql, const Values&... values) {
    SqlStatement statement = database_.prepare(sql);
    (statement.bind(values), ...);
    if (statement.step() != StepResult::done) return std::unexpected(database_.error(sql));
    return database_.changes();
  }
  template <class AnId>
  Result<std::vector<AnId>> ids_of(SqlStatement& statement, std::string_view what) {
    std::vector<AnId> ids;
    StepResult step = statement.step();
    for (; step == StepResult::row; step = statement.step()) ids.push_back(statement.read<AnId>());
    if (step == StepResult::failed) return std::unexpected(database_.error(what));
    return ids;
  }

  Result<std::vector<store::AccountWithStatements>> accounts_with_statements() {
    SqlStatement statement = database_.prepare(store::kAccountsWithStatements);
    std::vector<store::AccountWithStatements> accounts;
    StepResult step = statement.step();
    for (; step == StepResult::row; step = statement.step()) {
      const auto id = statement.read<ChannelAccountId>();
      const auto kind = statement.read<std::string>();
      auto account = store::account_with_statements(id, kind, statement.read<std::string>());
      if (!account) return std::unexpected(account.error());
      accounts.push_back(*account);
    }
    if (step == StepResult::failed) return std::unexpected(database_.error("read the accounts with statements"));
    return accounts;
  }

  Result<std::vector<WholeOrder>> load(const std::vector<OrderId>& ids) {
    std::vector<WholeOrder> orders;
    for (const OrderId id : ids) {
      auto order = load_aggregate<OrderAggregate>(database_, id, Children::all);
      if (!order) return std::unexpected(order.error());
      if (!*order) continue;
      WholeOrder& whole = orders.emplace_back(WholeOrder{std::move(**order), {}, {}});
      if (auto done = load_events(id.value, whole.events); !done) return std::unexpected(done.error());
      if (auto done = load_deliveries(id, whole.deliveries); !done) return std::unexpected(done.error());
    }
    return orders;
  }
  Result<void> load_events(std::int64_t root, std::vector<Event>& events) {
    static const Sql sql = select_sql<Change>("WHERE root_id=? ORDER BY id");
    const auto rows = select_rows<Change>(database_, sql, root);
    if (!rows) return std::unexpected(rows.error());
    auto unpacked = store::unpack(*rows);
    if (!unpacked) return std::unexpected(unpacked.error());
    events = std::move(*unpacked);
    return {};
  }
  Result<void> load_deliveries(OrderId order, std::vector<WholeDelivery>& deliveries) {
    std::vector<DeliveryId> ids;
    {
      SqlStatement statement = database_.prepare("SELECT id FROM deliveries WHERE order_id=? ORDER BY id");
      statement.bind(order);
      auto found = ids_of<DeliveryId>(statement, "read deliveries");
      if (!found) return std::unexpected(found.error());
      ids = std::move(*found);
    }
    for (const DeliveryId id : ids) {
      auto delivery = load_aggregate<DeliveryAggregate>(database_, id, Children::all);
      if (!delivery) return std::unexpected(delivery.error());
      deliveries.push_back({std::move(**delivery), {}});
      if (auto done = load_events(id.value, deliveries.back().events); !done) return done;
    }
    return {};
  }

  Result<std::vector<OrderId>> remove_in_transaction(const std::vector<OrderId>& ids, const std::string& archive,
                                                     Time now, const IsRemovable& is_removable) {
    auto orders = load(ids);
    if (!orders) return std::unexpected(orders.error());
    std::vector<OrderId> removed;
    for (const WholeOrder& order : *orders) {
      if (!is_removable(order)) continue;
      if (auto done = remove_order(order); !done) return std::unexpected(done.error());
      const ArchivedOrder left = store::archive_record_of(order.rows, now, archive);
      const auto kept = insert_row(database_, left);
      if (!kept) return std::unexpected(kept.error());
      if (!*kept)
        return fail(to_text(left.id) + " is marked as archived but is still in the store. Run: finality verify");
      removed.push_back(left.id);
    }
    return removed;
  }
  Result<void> remove_order(const WholeOrder& order) {
    const OrderId id = order.rows.order.id;
    for (const store::RenamedKey& key : store::keys_of(order.rows)) {
      const auto renamed = change("UPDATE keys SET id=? WHERE hash=? AND id=?", key.order_id, key.hash, key.id);
      if (!renamed) return std::unexpected(renamed.error());
      if (*renamed != 1) return fail("a natural key of " + to_text(id) + " is missing. Run: finality verify");
    }
    if (auto done = remove_aggregate(order.rows); !done) return done;
    for (const WholeDelivery& delivery : order.deliveries)
      if (auto done = remove_aggregate(delivery.rows); !done) return done;
    return {};
  }
  template <Aggregate T>
  Result<void> remove_aggregate(const T& aggregate) {
    const auto root = root_of(aggregate).id;
    Result<void> done = remove("changes", "root_id", root.value);
    for_each_child_type<T>([&](std::string_view, auto member) {
      using Row = ChildRow<decltype(member)>;
      if (done) done = remove(RowTraits<Row>::table, RowTraits<Row>::options.parent, root.value);
    });
    return done ? remove(RowTraits<RootRow<T>>::table, "id", root.value) : done;
  }
  Result<void> remove(std::string_view table, std::string_view column, std::int64_t id) {
    if (auto done = change(fmt::format("DELETE FROM {} WHERE {}=?", table, column), id); !done)
      return std::unexpected(done.error());
    return {};
  }

  Result<void> restore_in_transaction(const WholeOrder& order, const std::string& archive) {
    const auto restored = restore_order(database_, order, archive);
    if (!restored) return std::unexpected(restored.error());
    if (!*restored)
      return fail(
          fmt::format("{} is no longer archived in {}. Run the command again.", to_text(order.rows.order.id), archive));
    return {};
  }

  std::unique_ptr<Store> owner_;
  Database database_;
};

}  // namespace

Result<std::unique_ptr<store::Archivist>> open_archivist(const std::string& path) {
  auto owner = open(path, false, false);
  if (!owner) return std::unexpected(owner.error());
  const auto damage = std::make_shared<Damage>(path);
  if (damage->is_found()) return fail(damage->advice());
  auto database = Database::open(path, Database::Mode::write, damage);
  if (!database) return std::unexpected(database.error());
  return std::make_unique<SqliteArchivist>(std::move(*owner), std::move(*database));
}

}  // namespace finality::sqlite
