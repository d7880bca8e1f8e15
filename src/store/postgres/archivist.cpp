#include "store/postgres/archivist.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/id.h"
#include "model/row_types.h"
#include "store/postgres/deadline.h"
#include "store/postgres/rows.h"
#include "store/postgres/schema.h"
#include "store/postgres/write.h"
#include "store/sql/packed_events.h"
#include "store/sql/waiting_orders.h"

namespace finality::postgres {
namespace {

using store::WholeDelivery;
using store::WholeOrder;

// Key of the advisory lock: an arbitrary number that other programs are unlikely to use.
constexpr std::int64_t kArchiveLock = 0x41'72'63'68'69'76'65;
constexpr Duration kLockWait = std::chrono::seconds(5);
constexpr Duration kLockRetryPause = std::chrono::milliseconds(50);

// Declares a statement of the archivist. These statements select rows of any merchant by order id, so they use every
// shard.
Declared archiving(std::string_view name, std::string tables, std::string purpose, std::string text) {
  return {.name = fmt::format("archive.{}", name),
          .shards = tables.empty() ? Shards::none : Shards::every,
          .tables = std::move(tables),
          .purpose = std::move(purpose),
          .text = std::move(text)};
}

template <class Row>
Declared archived_rows(std::string_view where) {
  const std::string table(RowTraits<Row>::table);
  return archiving("read." + table, table, "Reads the rows of orders to archive", select_sql<Row>(where));
}

Declared removing(const std::string& table, std::string_view where) {
  return archiving("remove." + table, table, "Deletes rows of orders whose archive was written and verified",
                   fmt::format("DELETE FROM {} {}", table, where));
}

template <class Row>
std::string of_roots() {
  return fmt::format("WHERE {} = ANY($1::bigint[])", RowTraits<Row>::options.parent);
}
constexpr std::string_view kByVersion =
    "AS t USING unnest($1::bigint[], $2::bigint[]) AS v(id, version) WHERE t.id = v.id AND t.version = v.version";

const SqlStatement kMayArchive{
    archiving("may", "", "Takes the archive lock and checks the role's DELETE privileges",
              "SELECT CASE WHEN has_table_privilege('changes', 'DELETE') AND has_table_privilege('orders', 'DELETE') "
              "THEN 1 ELSE 0 END::bigint, CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END::bigint")};
const SqlStatement kBeginReading{archiving("begin_reading", "", "Begins the snapshot in which orders are read",
                                           "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")};
const SqlStatement kBegin{archiving("begin", "", "Begins a transaction that removes orders or restores one",
                                    "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")};
const SqlStatement kCommit{archiving("commit", "", "Commits a removal or a restore", "COMMIT")};
const SqlStatement kRollback{archiving("rollback", "", "Ends a snapshot, or a failed removal or restore", "ROLLBACK")};
const SqlStatement kCandidates{archiving("candidates", "orders", "Finds final orders created before a given time",
                                         "SELECT id FROM orders WHERE id > $1 AND id < $2 AND due_at IS NULL "
                                         "AND state IN ('succeeded', 'failed', 'closed') ORDER BY id LIMIT $3")};
const SqlStatement kAccountsWithStatements{archiving("accounts_with_statements", "statements",
                                                     "Finds the channel accounts that provide statements, by kind",
                                                     store::kAccountsWithStatements)};
constexpr store::WaitingParameters kWaitingParameters{
    .is_order = "= ANY($1::bigint[])", .account = "$2", .since = "$3"};
const SqlStatement kWaitingForTrades{archiving("waiting.trades",
                                               "differences receipts refunds reversals statement_matches",
                                               "Finds orders with payments and refunds that wait for statements",
                                               store::waiting_orders_sql(StatementKind::trades, kWaitingParameters))};
const SqlStatement kWaitingForFunds{archiving("waiting.funds",
                                              "differences funds_matches receipts refunds returns reversals",
                                              "Finds orders with payments and refunds that wait for funds statements",
                                              store::waiting_orders_sql(StatementKind::funds, kWaitingParameters))};
const SqlStatement kLockOrders{archiving("lock.orders", "orders", "Locks orders for their removal",
                                         "SELECT id FROM orders WHERE id = ANY($1::bigint[]) ORDER BY id@lock")};
const SqlStatement kLockDeliveries{
    archiving("lock.deliveries", "deliveries", "Locks deliveries for their removal",
              "SELECT id FROM deliveries WHERE order_id = ANY($1::bigint[]) ORDER BY id@lock")};
const SqlStatement kOrders{archived_rows<Order>("WHERE id = ANY($1::bigint[]) ORDER BY id")};
const SqlStatement kDeliveries{archived_rows<Delivery>("WHERE order_id = ANY($1::bigint[]) ORDER BY id")};
const SqlStatement kEvents{archived_rows<Change>("WHERE root_id = ANY($1::bigint[]) ORDER BY root_id, id")};
const SqlStatement kArchived{archived_rows<ArchivedOrder>("WHERE id = ANY($1::bigint[]) ORDER BY id")};
const SqlStatement kChannelAccounts{{.name = "archive.read.channel_accounts",
                                     .shards = Shards::reference,
                                     .tables = "channel_accounts",
                                     .purpose = "Reads all channel accounts, for archive lines that name none",
                                     .text = select_sql<ChannelAccount>("ORDER BY id")}};
template <class Row>
const SqlStatement kChildren{archived_rows<Row>(of_roots<Row>() + " ORDER BY id")};

const SqlStatement kRemoveOrders{removing("orders", kByVersion)};
const SqlStatement kRemoveDeliveries{removing("deliveries", kByVersion)};
const SqlStatement kRemoveEvents{removing("changes", "WHERE root_id = ANY($1::bigint[])")};
template <class Row>
const SqlStatement kRemoveChildren{removing(std::string(RowTraits<Row>::table), of_roots<Row>())};
/// Row types of which an archived order can have rows, as children of the order or of its deliveries.
using ArchivedChildren =
    boost::mp11::mp_unique<boost::mp11::mp_append<ChildRows<OrderAggregate>, ChildRows<DeliveryAggregate>>>;

std::unexpected<Error> failed(std::string_view what, const Failure& failure) {
  return fail(fmt::format("{}: {}", what, failure.message));
}

/// Reads whole orders in two round trips. A writer that inserts a child between two statements also raises the root's
/// version. A removal compares the versions that were read here, so it fails in that case.
class Reading {
 public:
  Reading(Connection& connection, const std::vector<OrderId>& ids) : connection_(connection), ids_(ids) {}

  std::expected<std::vector<WholeOrder>, Failure> orders() {
    const Parameters ids(ids_);
    connection_.send(kOrders, ids);
    send_children<OrderAggregate>(ids);
    connection_.send(kEvents, ids);
    connection_.send(kDeliveries, ids);
    const Replies replies = connection_.finish();
    if (!replies) return std::unexpected(replies.error());
    std::size_t next = 0;
    for (Order& row : reader_.read<Order>((*replies)[next++])) {
      places_[row.id.value] = orders_.size();
      orders_.emplace_back().rows.order = std::move(row);
    }
    const auto find_order = [this](std::int64_t id) { return find(id); };
    next = take_children<OrderAggregate>(*replies, next, find_order);
    take_events((*replies)[next++], find_order);
    if (auto done = read_deliveries(reader_.read<Delivery>((*replies)[next])); !done)
      return std::unexpected(done.error());
    if (reader_.error()) return std::unexpected(Failure{.state = {}, .message = reader_.error()->message});
    return std::move(orders_);
  }

 private:
  WholeOrder* find(std::int64_t id) {
    const auto at = places_.find(id);
    return at == places_.end() ? nullptr : &orders_[at->second];
  }
  template <Aggregate T>
  void send_children(const Parameters& roots) {
    for_each_row_type<ChildRows<T>>(
        [&]<class Row>(std::type_identity<Row>) { connection_.send(kChildren<Row>, roots); });
  }
  /// Adds the children in the replies from index `next` to their orders or deliveries. find_whole(id) returns the order
  /// or delivery, or null. Returns the index after the last reply used.
  template <Aggregate T, class Find>
  std::size_t take_children(const std::vector<Reply>& replies, std::size_t next, Find find_whole) {
    for_each_row_type<ChildRows<T>>([&]<class Row>(std::type_identity<Row>) {
      for (Row& row : reader_.read<Row>(replies[next++]))
        if (auto* whole = find_whole(root_id_of(row))) children_in<Row>(whole->rows).push_back(std::move(row));
    });
    return next;
  }
  template <class Find>
  void take_events(const Reply& reply, Find find_whole) {
    const auto events = store::unpack(reader_.read<Change>(reply));
    if (!events) return reader_.note(events.error());
    for (const Event& event : *events)
      if (auto* whole = find_whole(event.root_id)) whole->events.push_back(event);
  }
  std::expected<void, Failure> read_deliveries(std::vector<Delivery> rows) {
    if (rows.empty()) return {};
    std::vector<std::int64_t> roots;
    std::unordered_map<std::int64_t, WholeDelivery> deliveries;
    for (Delivery& row : rows) {
      roots.push_back(row.id.value);
      deliveries[row.id.value].rows.delivery = std::move(row);
    }
    const Parameters ids(roots);
    send_children<DeliveryAggregate>(ids);
    connection_.send(kEvents, ids);
    const Replies replies = connection_.finish();
    if (!replies) return std::unexpected(replies.error());
    const auto find_delivery = [&deliveries](std::int64_t id) { return &deliveries.at(id); };
    const std::size_t next = take_children<DeliveryAggregate>(*replies, 0, find_delivery);
    take_events((*replies)[next], find_delivery);
    for (const std::int64_t root : roots)
      if (WholeOrder* order = find(deliveries[root].rows.delivery.order_id.value))
        order->deliveries.push_back(std::move(deliveries[root]));
    return {};
  }

  Connection& connection_;
  const std::vector<OrderId>& ids_;
  RowReader reader_;
  std::vector<WholeOrder> orders_;
  std::unordered_map<std::int64_t, std::size_t> places_;  // indexes into orders_, by order id
};

class PostgresArchivist final : public store::Archivist {
 public:
  PostgresArchivist(std::unique_ptr<Connection> connection, bool lock_roots, bool distributed)
      : connection_(std::move(connection)),
        lock_roots_(lock_roots && !distributed),
        form_(distributed ? Form::sharded : Form::plain) {}

  Result<std::vector<OrderId>> candidates(OrderId after, Time before, std::size_t limit) override {
    const auto reply =
        connection_->ask(kCandidates, Parameters(after, first_id_at(before), static_cast<std::int64_t>(limit)));
    if (!reply) return failed("cannot read orders", reply.error());
    std::vector<OrderId> ids;
    for (int i = 0; i < reply->rows(); ++i) ids.push_back(reply->row(i).read<OrderId>());
    return ids;
  }
  Result<std::vector<OrderId>> waiting(const std::vector<OrderId>& ids) override {
    const auto accounts = accounts_with_statements();
    if (!accounts) return std::unexpected(accounts.error());
    if (accounts->empty()) return std::vector<OrderId>{};
    for (const store::AccountWithStatements& account : *accounts)
      connection_->send(account.kind == StatementKind::funds ? kWaitingForFunds : kWaitingForTrades,
                        Parameters(ids, account.id, account.since));
    const Replies replies = connection_->finish();
    if (!replies) return failed("cannot find orders that wait for statements", replies.error());
    std::vector<OrderId> found;
    for (const Reply& reply : *replies)
      for (int i = 0; i < reply.rows(); ++i) found.push_back(reply.row(i).read<OrderId>());
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    return found;
  }
  Result<std::vector<WholeOrder>> read(const std::vector<OrderId>& ids) override {
    if (auto begun = run(kBeginReading); !begun) return std::unexpected(begun.error());
    auto orders = Reading(*connection_, ids).orders();
    static_cast<void>(run(kRollback));
    if (!orders) return failed("cannot read orders", orders.error());
    return std::move(*orders);
  }
  Result<std::vector<ArchivedOrder>> archived(const std::vector<OrderId>& ids) override {
    const auto reply = connection_->ask(kArchived, Parameters(ids));
    if (!reply) return failed("cannot read archived orders", reply.error());
    return rows_of<ArchivedOrder>(*reply);
  }
  Result<std::vector<OrderId>> remove(const std::vector<OrderId>& ids, const std::string& archive, Time now,
                                      const IsRemovable& is_removable) override {
    if (auto begun = run(kBegin); !begun) return std::unexpected(begun.error());
    auto removed = remove_in_transaction(ids, archive, now, is_removable);
    const auto ended = run(removed ? kCommit : kRollback);
    if (!removed) return removed;
    if (!ended) return std::unexpected(ended.error());
    return removed;
  }
  Result<void> restore(const WholeOrder& order, const std::string& archive) override {
    if (auto begun = run(kBegin); !begun) return begun;
    auto restored = restore_in_transaction(order, archive);
    auto ended = run(restored ? kCommit : kRollback);
    return restored ? ended : restored;
  }

 private:
  Result<std::vector<store::AccountWithStatements>> accounts_with_statements() {
    const auto reply = connection_->ask(kAccountsWithStatements);
    if (!reply) return failed("cannot read the accounts with statements", reply.error());
    std::vector<store::AccountWithStatements> accounts;
    for (int i = 0; i < reply->rows(); ++i) {
      Cursor row = reply->row(i);
      const auto id = row.read<ChannelAccountId>();
      const auto kind = row.read<std::string>();
      auto account = store::account_with_statements(id, kind, row.read<std::string>());
      if (!account) return std::unexpected(account.error());
      accounts.push_back(*account);
    }
    return accounts;
  }
  Result<void> run(const SqlStatement& statement) {
    if (const auto done = connection_->ask(statement); !done)
      return failed("cannot begin or end the archive transaction", done.error());
    return {};
  }

  Result<void> restore_in_transaction(const WholeOrder& order, const std::string& archive) {
    const std::string id = to_text(order.rows.order.id);
    const std::vector<Expected> expected = send_restore(*connection_, order, archive, form_);
    const Replies replies = connection_->finish();
    if (!replies) return failed("cannot restore " + id, replies.error());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if ((*replies)[i].affected() == expected[i].rows) continue;
      if (expected[i].table == RowTraits<ArchivedOrder>::table)
        return fail(fmt::format("{} is no longer archived in {}. Run the command again.", id, archive));
      return fail(fmt::format("a natural key of {} is missing. Run: finality verify", id));
    }
    return {};
  }

  // Locks roots in the same order as a batch: orders before deliveries, each by id. So an archivist and a batch cannot
  // deadlock. If the store does not lock rows, a change between the read and the removal is detected by the versions.
  Result<std::vector<OrderId>> remove_in_transaction(const std::vector<OrderId>& ids, const std::string& archive,
                                                     Time now, const IsRemovable& is_removable) {
    if (lock_roots_) {
      connection_->send(kLockOrders, Parameters(ids), Form::locking);
      connection_->send(kLockDeliveries, Parameters(ids), Form::locking);
    }
    auto orders = read_locked(ids);
    if (!orders) return failed("cannot read orders", orders.error());
    std::vector<OrderId> going;
    removal_ = {};
    for (const WholeOrder& order : *orders) {
      if (!is_removable(order)) continue;
      going.push_back(order.rows.order.id);
      removal_.add(order, archive, now);
    }
    if (going.empty()) return going;
    if (auto done = removal_.carry_out(*connection_, form_); !done) return std::unexpected(done.error());
    return going;
  }
  std::expected<std::vector<WholeOrder>, Failure> read_locked(const std::vector<OrderId>& ids) {
    if (lock_roots_)
      if (const Replies locked = connection_->finish(); !locked) return std::unexpected(locked.error());
    return Reading(*connection_, ids).orders();
  }

  /// The parameters of a removal: rows to delete, natural keys to update, and archive records to insert. Lists with the
  /// same prefix are parallel.
  struct Removal {
    std::vector<OrderId> orders;
    std::vector<std::int64_t> order_versions;
    std::vector<DeliveryId> deliveries;
    std::vector<std::int64_t> delivery_versions;
    std::vector<std::int64_t> roots;  // ids of the orders and deliveries, whose children and events are deleted
    std::vector<Hash16> keys;
    std::vector<std::int64_t> key_ids;
    std::vector<OrderId> key_orders;
    std::vector<ArchivedOrder> left;

    void add(const WholeOrder& order, const std::string& archive, Time now) {
      const Order& row = order.rows.order;
      orders.push_back(row.id);
      order_versions.push_back(row.version);
      roots.push_back(row.id.value);
      for (const WholeDelivery& delivery : order.deliveries) {
        deliveries.push_back(delivery.rows.delivery.id);
        delivery_versions.push_back(delivery.rows.delivery.version);
        roots.push_back(delivery.rows.delivery.id.value);
      }
      for (const store::RenamedKey& key : store::keys_of(order.rows)) {
        keys.push_back(key.hash);
        key_ids.push_back(key.id);
        key_orders.push_back(key.order_id);
      }
      left.push_back(store::archive_record_of(order.rows, now, archive));
    }
    Result<void> carry_out(Connection& connection, Form form) const {
      connection.send(kRemoveOrders, Parameters(orders, order_versions));
      connection.send(kRemoveDeliveries, Parameters(deliveries, delivery_versions));
      connection.send(rename_keys_statement(), Parameters(keys, key_ids, key_orders));
      std::vector<const void*> rows;
      for (const ArchivedOrder& row : left) rows.push_back(&row);
      connection.send(kInsert<ArchivedOrder>, all_columns(store::row_type<ArchivedOrder>(), rows), form);
      connection.send(kRemoveEvents, Parameters(roots));
      for_each_row_type<ArchivedChildren>(
          [&]<class Row>(std::type_identity<Row>) { connection.send(kRemoveChildren<Row>, Parameters(roots)); });
      const Replies replies = connection.finish();
      if (!replies) return failed("cannot remove orders", replies.error());
      if ((*replies)[0].affected() != orders.size() || (*replies)[1].affected() != deliveries.size())
        return fail("an order changed during the removal. Run the command again.");
      if ((*replies)[2].affected() != keys.size() || (*replies)[3].affected() != left.size())
        return fail("a natural key of an order is missing, or the order is already archived. Run: finality verify");
      return {};
    }
  };

  std::unique_ptr<Connection> connection_;
  bool lock_roots_;
  Form form_;  // variant of the INSERT statement (store/postgres/statement.h)
  Removal removal_;
};

// Checks the role's privileges and takes the archive lock. Waits up to kLockWait for it, because the server keeps the
// lock of a killed process until it notices the disconnect.
Result<void> check_rights(Connection& connection) {
  const Deadline deadline(kLockWait);
  for (;; pause_for(kLockRetryPause)) {
    const auto reply = connection.ask(kMayArchive, Parameters(kArchiveLock));
    if (!reply) return failed("cannot take the archive lock", reply.error());
    Cursor row = reply->row(0);
    if (!row.read<bool>())
      return fail(fmt::format(
          "this role has no DELETE privilege on orders and changes in {}. Use a URL with the tables' owner.",
          connection.place()));
    if (row.read<bool>()) return {};
    if (deadline.over())
      return fail(fmt::format("another process is archiving {}. Wait until it ends.", connection.place()));
  }
}

}  // namespace

Result<std::unique_ptr<store::Archivist>> open_archivist(const std::string& url) {
  const auto options = parse_target(url);
  if (!options) return std::unexpected(options.error());
  auto connection = Connection::open(*options, Use::write);
  if (!connection) return std::unexpected(connection.error());
  if (auto fits = prepare_schema(**connection, false); !fits) return std::unexpected(fits.error());
  if (auto may = check_rights(**connection); !may) return std::unexpected(may.error());
  const auto distributed = is_distributed(**connection);
  if (!distributed) return std::unexpected(distributed.error());
  return std::make_unique<PostgresArchivist>(std::move(*connection), options->lock_roots, *distributed);
}

}  // namespace finality::postgres
