#include "store/postgres/postgres_reader.h"

#include <algorithm>
#include <functional>

#include "base/id.h"
#include "model/natural_key.h"
#include "store/paging.h"
#include "store/postgres/query.h"
#include "store/postgres/rows.h"

namespace finality::postgres {
namespace {

using store::Window;

// An aggregate is several statements: all see what one commit left.
constexpr const char* kBeginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

class PostgresReader final : public Reader {
 public:
  PostgresReader(Target target, std::unique_ptr<Connection> connection)
      : target_(std::move(target)), connection_(std::move(connection)) {}

  Result<std::optional<OrderAggregate>> order(OrderId id) override;
  Result<std::optional<OrderId>> order_of(ObjectRef child) override;
  Result<std::optional<Merchant>> merchant(MerchantId id) override { return by_id<Merchant>(id); }
  Result<std::optional<ApiKey>> api_key(const Hash16& hash) override {
    return only(select<ApiKey>(Query(select_sql<ApiKey>("")).add("WHERE hash=?", hash)));
  }
  Result<std::optional<Delivery>> delivery(DeliveryId id) override { return by_id<Delivery>(id); }
  Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) override;
  Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                               bool oldest_first) override;
  Result<std::vector<Entry>> journal(EntryId first) override;
  Result<std::optional<Account>> account(AccountId id) override { return by_id<Account>(id); }
  Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) override;
  Result<Listed<Entry>> entries(AccountId account, const EntryFilter& filter, const Page& page) override;
  Result<std::optional<Transfer>> transfer(TransferId id) override { return by_id<Transfer>(id); }
  Result<std::optional<Hold>> hold(HoldId id) override { return by_id<Hold>(id); }
  Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) override;
  Result<std::int64_t> named(const Hash16& key) override;
  Result<std::optional<Price>> price(PriceId id) override { return by_id<Price>(id); }
  Result<Listed<Price>> prices(MerchantId merchant, const Page& page) override;
  Result<std::vector<Fee>> fees(MerchantId merchant) override {
    return select<Fee>(Query(select_sql<Fee>("")).add("WHERE merchant_id=? ORDER BY id", merchant));
  }
  Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) override {
    return select<WebhookEndpoint>(
        Query(select_sql<WebhookEndpoint>("")).add("WHERE merchant_id=? AND state<>'deleted' ORDER BY id", merchant));
  }
  Result<std::optional<Case>> find_case(CaseId id) override { return by_id<Case>(id); }
  Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) override;
  Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) override;
  Result<std::vector<DueRow>> due(Time now, std::size_t limit) override;
  Result<void> ping() override;

 private:
  /// One round trip; a second one where the connection turns out to be broken, for nothing is lost by asking again.
  Result<std::vector<Reply>> ask(const std::function<void(Connection&)>& send);
  Result<std::vector<Reply>> ask(const Query& query) {
    return ask([&](Connection& connection) { connection.send(query.text(), query.parameters()); });
  }
  template <class Row>
  Result<std::vector<Row>> select(const Query& query);
  template <class Row>
  static Result<std::optional<Row>> only(Result<std::vector<Row>> rows);
  template <class Row, class AnId>
  Result<std::optional<Row>> by_id(AnId id) {
    return only(select<Row>(Query(select_sql<Row>("")).add("WHERE id=?", id)));
  }
  /// One page of rows, by id.
  template <class Row>
  Result<Listed<Row>> page_of(Query where, Window window, const Page& page);
  template <class Row>
  static Query rows_with(std::string_view where) {
    return Query(select_sql<Row>("WHERE ") + std::string(where));
  }
  /// Whole orders, of a query for their rows.
  Result<std::vector<OrderAggregate>> aggregates(const Query& orders);
  Result<Listed<OrderAggregate>> order_by_number(MerchantId merchant, const OrderFilter& filter, const Page& page);

  Target target_;
  std::unique_ptr<Connection> connection_;  // null while it is broken
};

Result<std::vector<Reply>> PostgresReader::ask(const std::function<void(Connection&)>& send) {
  for (bool again = connection_ != nullptr;; again = false) {
    if (!connection_) {
      auto connection = Connection::open(target_, Use::read);
      if (!connection) return std::unexpected(connection.error());
      connection_ = std::move(*connection);
    }
    send(*connection_);
    Replies replies = connection_->finish();
    if (replies) return std::move(*replies);
    const Failure failure = std::move(replies.error());
    connection_.reset();  // a transaction may be open on it
    if (!failure.broken || !again) return fail(fmt::format("read the store: {}", failure.message));
  }
}

template <class Row>
Result<std::vector<Row>> PostgresReader::select(const Query& query) {
  const auto replies = ask(query);
  if (!replies) return std::unexpected(replies.error());
  return rows_of<Row>(replies->front());
}

template <class Row>
Result<std::optional<Row>> PostgresReader::only(Result<std::vector<Row>> rows) {
  if (!rows) return std::unexpected(rows.error());
  return rows->empty() ? std::nullopt : std::optional(std::move(rows->front()));
}

template <class Row>
Result<Listed<Row>> PostgresReader::page_of(Query where, Window window, const Page& page) {
  where.add(" AND id>? AND id<?", window.above, window.below).add(window.order());
  where.add(" LIMIT ?", static_cast<std::int64_t>(page.limit + 1));
  auto rows = select<Row>(where);
  if (!rows) return std::unexpected(rows.error());
  return store::cut(std::move(*rows), page);
}

// The parts are asked for by the ids of the orders' rows. Both round trips see one snapshot; it ends with the second.
Result<std::vector<OrderAggregate>> PostgresReader::aggregates(const Query& orders) {
  const auto found = ask([&](Connection& connection) {
    connection.send(kBeginSnapshot);
    connection.send(orders.text(), orders.parameters());
  });
  if (!found) return std::unexpected(found.error());
  std::vector<OrderAggregate> list;
  std::vector<OrderId> ids;
  for (Order& row : rows_of<Order>(found->back())) {
    ids.push_back(row.id);
    list.emplace_back().order = std::move(row);
  }
  const Parameters parameters(ids);
  static const std::string of_order = "WHERE order_id = ANY($1::bigint[]) ORDER BY id";
  connection_->send(select_sql<Payment>(of_order), parameters);
  connection_->send(select_sql<Receipt>(of_order), parameters);
  connection_->send(select_sql<Refund>(of_order), parameters);
  connection_->send(select_sql<Reversal>(of_order), parameters);
  connection_->send(select_sql<Case>("WHERE root_id = ANY($1::bigint[]) ORDER BY id"), parameters);
  connection_->send("COMMIT");
  const Replies parts = connection_->finish();
  if (!parts) {
    connection_.reset();
    return fail(fmt::format("read the store: {}", parts.error().message));
  }
  const auto sort_in = [&](std::size_t reply, auto part, auto root_of) {
    using Rows = std::remove_cvref_t<decltype(list.front().*part)>;
    for (auto& row : rows_of<typename Rows::value_type>((*parts)[reply])) {
      const auto at = std::ranges::find(ids, OrderId{root_of(row)});
      (list[static_cast<std::size_t>(at - ids.begin())].*part).push_back(std::move(row));
    }
  };
  const auto order_id = [](const auto& row) { return row.order_id.value; };
  sort_in(0, &OrderAggregate::payments, order_id);
  sort_in(1, &OrderAggregate::receipts, order_id);
  sort_in(2, &OrderAggregate::refunds, order_id);
  sort_in(3, &OrderAggregate::reversals, order_id);
  sort_in(4, &OrderAggregate::cases, [](const Case& row) { return row.root_id; });
  return list;
}

Result<std::optional<OrderAggregate>> PostgresReader::order(OrderId id) {
  return only(aggregates(rows_with<Order>("").add("id=?", id)));
}

Result<Listed<OrderAggregate>> PostgresReader::order_by_number(MerchantId merchant, const OrderFilter& filter,
                                                               const Page& page) {
  const Hash16 key = key_of_order_no(merchant, *filter.merchant_order_no);
  auto found = aggregates(rows_with<Order>("").add("id=(SELECT id FROM keys WHERE hash=?)", key));
  if (!found) return std::unexpected(found.error());
  Listed<OrderAggregate> list;
  for (OrderAggregate& one : *found) {
    const std::int64_t id = one.order.id.value;
    const bool in_page = (!page.after || id < *page.after) && (!page.before || id > *page.before);
    if (in_page && store::matches(one.order, filter)) list.rows.push_back(std::move(one));
  }
  return list;
}

Result<Listed<OrderAggregate>> PostgresReader::orders(MerchantId merchant, const OrderFilter& filter,
                                                      const Page& page) {
  if (filter.merchant_order_no) return order_by_number(merchant, filter, page);
  Window window(page, false);
  // Ids carry their time: the filter by time narrows the range that is read.
  if (filter.created_from) window.above = std::max(window.above, first_id_at(*filter.created_from) - 1);
  Query query = rows_with<Order>("");
  query.add("merchant_id=? AND id>? AND id<?", merchant, window.above, window.below);
  if (filter.state) query.add(" AND state=?", *filter.state);
  if (filter.created_to) query.add(" AND created_at<?", *filter.created_to);
  if (filter.created_from) query.add(" AND created_at>=?", *filter.created_from);
  query.add(window.order()).add(" LIMIT ?", static_cast<std::int64_t>(page.limit + 1));
  auto found = aggregates(query);
  if (!found) return std::unexpected(found.error());
  return store::cut(std::move(*found), page);
}

Result<std::optional<OrderId>> PostgresReader::order_of(ObjectRef child) {
  constexpr std::pair<ObjectType, std::string_view> queries[] = {
      {ObjectType::order, "SELECT id FROM orders WHERE id=?"},
      {ObjectType::payment, "SELECT order_id FROM payments WHERE id=?"},
      {ObjectType::refund, "SELECT order_id FROM refunds WHERE id=?"},
      {ObjectType::reversal, "SELECT order_id FROM reversals WHERE id=?"},
      {ObjectType::dispute_case, "SELECT c.root_id FROM cases c JOIN orders o ON o.id=c.root_id WHERE c.id=?"},
  };
  const auto at = std::ranges::find(queries, child.type, &std::pair<ObjectType, std::string_view>::first);
  if (at == std::ranges::end(queries)) return std::nullopt;
  const auto replies = ask(Query("").add(at->second, child.value));
  if (!replies) return std::unexpected(replies.error());
  return replies->front().rows() == 0 ? std::nullopt : std::optional(replies->front().row(0).read<OrderId>());
}

Result<Listed<Event>> PostgresReader::events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                                             bool oldest_first) {
  Query query = rows_with<Event>("").add("root_id=?", root_id);
  if (object) query.add(" AND object_type=? AND object_id=?", object->type, object->value);
  return page_of<Event>(std::move(query), Window(page, oldest_first), page);
}

Result<std::vector<Entry>> PostgresReader::journal(EntryId first) {
  // A posting's entries follow its first one by id, so no index is needed to find them: at once, or where the
  // millisecond ran out of numbers from the start of its node's next one.
  const EntryId next{((first.value >> kIdNumberBits) + kIdNodesMax) << kIdNumberBits};
  constexpr std::int64_t kFurther = 16;
  return select<Entry>(
      rows_with<Entry>("").add("(id BETWEEN ? AND ? OR id BETWEEN ? AND ?) AND journal_id=? ORDER BY id", first,
                               first.value + kFurther, next, next.value + kFurther, first));
}

Result<Listed<Account>> PostgresReader::accounts(MerchantId merchant, const Page& page) {
  return page_of<Account>(rows_with<Account>("kind='user'").add(" AND merchant_id=?", merchant), Window(page, false),
                          page);
}

Result<Listed<Entry>> PostgresReader::entries(AccountId account, const EntryFilter& filter, const Page& page) {
  Window window(page, false);  // ids carry their time: it only narrows the range that is read
  if (filter.from) window.above = std::max(window.above, first_id_at(*filter.from) - 1);
  Query query = rows_with<Entry>("").add("account_id=?", account);
  if (filter.from) query.add(" AND created_at>=?", *filter.from);
  if (filter.to) query.add(" AND created_at<?", *filter.to);
  return page_of<Entry>(std::move(query), window, page);
}

Result<Listed<Hold>> PostgresReader::holds(AccountId account, std::optional<HoldState> state, const Page& page) {
  Query query = rows_with<Hold>("").add("account_id=?", account);
  if (state) query.add(" AND state=?", *state);
  return page_of<Hold>(std::move(query), Window(page, false), page);
}

Result<Listed<Price>> PostgresReader::prices(MerchantId merchant, const Page& page) {
  return page_of<Price>(rows_with<Price>("").add("merchant_id=?", merchant), Window(page, false), page);
}

Result<Listed<Case>> PostgresReader::cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) {
  Query query = rows_with<Case>("").add("merchant_id=?", merchant);
  if (state) query.add(" AND state=?", *state);
  return page_of<Case>(std::move(query), Window(page, false), page);
}

Result<Listed<Delivery>> PostgresReader::deliveries(MerchantId merchant, std::optional<OrderId> order,
                                                    const Page& page) {
  Query query = rows_with<Delivery>("").add("merchant_id=?", merchant);
  if (order) query.add(" AND order_id=?", *order);
  return page_of<Delivery>(std::move(query), Window(page, false), page);
}

Result<std::int64_t> PostgresReader::named(const Hash16& key) {
  const auto replies = ask(Query("").add("SELECT id FROM keys WHERE hash=?", key));
  if (!replies) return std::unexpected(replies.error());
  return replies->front().rows() == 0 ? 0 : replies->front().row(0).read<std::int64_t>();
}

Result<std::vector<DueRow>> PostgresReader::due(Time now, std::size_t limit) {
  constexpr std::pair<ObjectType, std::string_view> tables[] = {
      {ObjectType::order, "SELECT id, merchant_id, id, due_at FROM orders"},
      {ObjectType::payment, "SELECT id, merchant_id, order_id, due_at FROM payments"},
      {ObjectType::refund, "SELECT id, merchant_id, order_id, due_at FROM refunds"},
      {ObjectType::reversal, "SELECT id, merchant_id, order_id, due_at FROM reversals"},
      {ObjectType::delivery, "SELECT id, merchant_id, order_id, due_at FROM deliveries"},
      {ObjectType::hold, "SELECT id, merchant_id, 0::bigint, due_at FROM holds"},
  };
  const auto replies = ask([&](Connection& connection) {
    for (const auto& [type, text] : tables)
      connection.send(std::string(text) + " WHERE due_at<=$1 ORDER BY due_at LIMIT $2",
                      Parameters(now, static_cast<std::int64_t>(limit)));
  });
  if (!replies) return std::unexpected(replies.error());
  std::vector<DueRow> rows;
  for (std::size_t table = 0; table < replies->size(); ++table)
    for (int i = 0; i < (*replies)[table].rows(); ++i) {
      Cursor cursor = (*replies)[table].row(i);
      DueRow& row = rows.emplace_back();
      row.row = ObjectRef(tables[table].first, cursor.read<std::int64_t>());
      cursor.read(row.merchant_id);
      cursor.read(row.order_id);
      cursor.read(row.due_at);
    }
  std::ranges::sort(rows, {}, [](const DueRow& row) { return std::pair(row.due_at, row.row); });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<void> PostgresReader::ping() {
  const auto replies = ask(Query("SELECT 1 FROM nodes LIMIT 1"));
  if (!replies) return std::unexpected(replies.error());
  return {};
}

}  // namespace

Result<std::unique_ptr<Reader>> make_reader(const Target& target) {
  auto connection = Connection::open(target, Use::read);
  if (!connection) return std::unexpected(connection.error());
  return std::make_unique<PostgresReader>(target, std::move(*connection));
}

}  // namespace finality::postgres
