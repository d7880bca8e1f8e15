#include "store/sqlite/reader.h"

#include <algorithm>
#include <map>

#include "base/id.h"
#include "model/natural_key.h"
#include "store/sql/channel_account_sql.h"
#include "store/sql/due.h"
#include "store/sql/entry_chain.h"
#include "store/sql/identity_sql.h"
#include "store/sql/order_of_sql.h"
#include "store/sql/packed_events.h"
#include "store/sql/paging.h"
#include "store/sqlite/load.h"
#include "store/sqlite/read_set.h"
#include "store/sqlite/rows.h"

namespace finality::sqlite {
namespace {

using store::cut;
using store::matches;
using store::Window;

class SqliteReader final : public Reader {
 public:
  explicit SqliteReader(Database database) : database_(std::move(database)) {}

  Result<std::optional<OrderAggregate>> order(OrderId id) override {
    return in_one_snapshot([&] { return load_aggregate<OrderAggregate>(database_, id); });
  }
  Result<std::optional<ArchivedOrder>> archived_order(OrderId id) override { return by_id<ArchivedOrder>(id); }
  Result<std::optional<OrderId>> order_of(ObjectRef child) override;
  Result<std::optional<MerchantId>> merchant_of(OrderId id) override;
  Result<std::optional<Merchant>> merchant(MerchantId id) override { return by_id<Merchant>(id); }
  Result<std::optional<Delivery>> delivery(DeliveryId id) override { return by_id<Delivery>(id); }
  Result<std::optional<UnknownReceipt>> unknown_receipt(UnknownReceiptId id) override {
    return by_id<UnknownReceipt>(id);
  }
  Result<Listed<UnknownReceipt>> unknown_receipts(std::optional<UnknownReceiptState> state, const Page& page) override;
  Result<std::optional<Account>> account(AccountId id) override { return by_id<Account>(id); }
  Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) override;
  Result<std::vector<Account>> ledger_accounts(MerchantId merchant) override {
    static const Sql sql = select_sql<Account>("WHERE merchant_id=? AND kind<>'user' ORDER BY id");
    return select_rows<Account>(database_, sql, merchant);
  }
  Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) override;
  Result<std::optional<Transfer>> transfer(TransferId id) override { return by_id<Transfer>(id); }
  Result<std::optional<Hold>> hold(HoldId id) override { return by_id<Hold>(id); }
  Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) override;
  Result<std::int64_t> named(const Hash16& key) override;
  Result<std::optional<Price>> price(PriceId id) override { return by_id<Price>(id); }
  Result<Listed<Price>> prices(MerchantId merchant, const Page& page) override;
  Result<std::optional<Adjustment>> adjustment(AdjustmentId id) override { return by_id<Adjustment>(id); }
  Result<Listed<Adjustment>> adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                         const Page& page) override;
  Result<std::vector<Fee>> fees(MerchantId merchant) override { return load_list<Fee>(database_, merchant); }
  Result<std::optional<ApiKey>> api_key(const Hash16& hash) override {
    static const Sql sql = select_sql<ApiKey>("WHERE hash=?");
    return select_row<ApiKey>(database_, sql, hash);
  }
  Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) override {
    return by_id<ChannelAccount>(id);
  }
  Result<std::vector<ChannelAccount>> channel_accounts() override {
    static const Sql sql = select_sql<ChannelAccount>("ORDER BY id DESC");
    return select_rows<ChannelAccount>(database_, sql);
  }
  Result<std::optional<ChannelRate>> channel_rate(ChannelRateId id) override { return by_id<ChannelRate>(id); }
  Result<std::vector<ChannelRate>> channel_rates() override {
    static const Sql sql = select_sql<ChannelRate>("ORDER BY id DESC");
    return select_rows<ChannelRate>(database_, sql);
  }
  Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) override {
    return load_list<WebhookEndpoint>(database_, merchant);
  }
  Result<std::vector<Entry>> journal(EntryId first) override {
    // The entries of a journal have consecutive ids, so no index by journal is needed. If a millisecond has no ids
    // left, the ids continue at the start of the node's next millisecond.
    static const Sql sql =
        select_sql<Entry>("WHERE (id BETWEEN ? AND ?+16 OR id BETWEEN ? AND ?+16) AND journal_id=? ORDER BY id");
    const EntryId next{((first.value >> kIdNumberBits) + kIdNodesMax) << kIdNumberBits};
    return select_rows<Entry>(database_, sql, first, first, next, next, first);
  }

  Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) override {
    return in_one_snapshot([&] {
      return filter.merchant_order_no ? order_by_number(merchant, filter, page) : list_orders(merchant, filter, page);
    });
  }
  Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                               bool oldest_first) override;
  Result<std::optional<Case>> find_case(CaseId id) override { return by_id<Case>(id); }
  Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) override;
  Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) override;
  Result<std::optional<StatementAggregate>> statement(StatementId id) override {
    return in_one_snapshot([&] { return load_aggregate<StatementAggregate>(database_, id); });
  }
  Result<Listed<Statement>> statements(const StatementFilter& filter, const Page& page) override;
  Result<std::optional<Statement>> newest_statement(ChannelAccountId account, StatementKind kind,
                                                    const std::string& funds_account, const std::string& date,
                                                    StatementSource source) override {
    static const Sql sql = select_sql<Statement>(
        "WHERE channel_account_id=? AND kind=? AND date=? AND funds_account=? AND source=? "
        "ORDER BY file_version DESC LIMIT 1");
    return select_row<Statement>(database_, sql, account, kind, date, funds_account, source);
  }
  Result<std::vector<Statement>> due_statements(Time now, std::size_t limit, const DuePlace& behind) override {
    static const Sql sql = select_sql<Statement>("WHERE (due_at,id)>(?,?) AND due_at<=? ORDER BY due_at, id LIMIT ?");
    return select_rows<Statement>(database_, sql, behind.due_at, behind.id, now, static_cast<std::int64_t>(limit));
  }
  Result<std::optional<StatementPart>> statement_part(StatementId id, std::int64_t part_no) override {
    static const Sql sql = select_sql<StatementPart>("WHERE statement_id=? AND part_no=?");
    return select_row<StatementPart>(database_, sql, id, part_no);
  }
  Result<std::optional<StatementMatch>> match_of_line(MerchantId merchant, const Hash16& line) override {
    static const Sql sql = select_sql<StatementMatch>("WHERE line=? AND merchant_id=?");
    return select_row<StatementMatch>(database_, sql, line, merchant);
  }
  Result<std::optional<DifferenceAggregate>> difference(DifferenceId id) override {
    return in_one_snapshot([&] { return load_aggregate<DifferenceAggregate>(database_, id); });
  }
  Result<Listed<Difference>> differences(const DifferenceFilter& filter, const Page& page) override;
  Result<std::vector<Entry>> unmatched_entries(ChannelAccountId account, StatementKind kind, const EntrySpan& span,
                                               std::size_t limit) override {
    const Sql sql(store::unmatched_entries_sql(kind, {"?", "?", "?", "?"}));
    return select_rows<Entry>(database_, sql, span.after, span.until, account, static_cast<std::int64_t>(limit));
  }
  Result<std::vector<FundsMatch>> funds_matches(StatementId id, std::size_t limit) override {
    static const Sql sql = select_sql<FundsMatch>("WHERE statement_id=? ORDER BY line_no, document_id LIMIT ?");
    return select_rows<FundsMatch>(database_, sql, id, static_cast<std::int64_t>(limit));
  }
  Result<std::vector<Account>> accounts_of_channel_account(ChannelAccountId id) override {
    static const Sql sql = select_sql<Account>("WHERE channel_account_id=? ORDER BY id");
    return select_rows<Account>(database_, sql, id);
  }
  Result<std::int64_t> root_of_posting(MerchantId merchant, ObjectRef document) override;
  Result<std::vector<EntrySum>> entry_sums(ChannelAccountId id, Time from, Time to) override;
  Result<std::vector<ChangedOrder>> changed_orders(EventId after, EventId before, std::size_t limit) override;
  Result<std::vector<Entry>> order_entries(const Order& order) override {
    static const Sql sql(store::order_entries_sql("?", "?"));
    return select_rows<Entry>(database_, sql, order.id, order.merchant_id);
  }
  Result<std::vector<OrderId>> disagreeing_orders(std::size_t limit) override;
  Result<void> load(const ReadSet& reads, WorkingSet& rows) override { return load_read_set(database_, reads, rows); }
  Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) override;
  Result<void> ping() override;

 private:
  template <class Row, class AnId>
  Result<std::optional<Row>> by_id(AnId id) {
    static const Sql sql = select_sql<Row>("WHERE id=?");
    return select_row<Row>(database_, sql, id);
  }
  /// Runs `read` in one read transaction, so that all its statements see the same snapshot.
  template <class Read>
  std::invoke_result_t<Read> in_one_snapshot(Read read) {
    if (database_.prepare("BEGIN").step() != StepResult::done) return std::unexpected(database_.error("begin reading"));
    auto found = read();
    if (database_.prepare("COMMIT").step() != StepResult::done) return std::unexpected(database_.error("end reading"));
    return found;
  }
  /// Reads one page of the rows that match `where`, sorted by id. `where` is an SQL condition with `parameters`.
  template <class Row, class... Values>
  Result<Listed<Row>> filtered(const Page& page, const std::pair<std::string_view, Values>&... conditions);
  template <class Row, class... Parameters>
  Result<Listed<Row>> page_of(std::string where, Window window, const Page& page, const Parameters&... parameters);
  /// Appends rows of one type that are due at `now` to `rows`: at most `limit`, after position `behind`.
  template <class Row>
  Result<void> add_due(DuePlace behind, Time now, std::size_t limit, std::vector<DueRow>& rows);
  Result<Listed<OrderAggregate>> order_by_number(MerchantId merchant, const OrderFilter& filter, const Page& page);
  Result<Listed<OrderAggregate>> list_orders(MerchantId merchant, const OrderFilter& filter, const Page& page);

  Database database_;
};

Result<Listed<OrderAggregate>> SqliteReader::order_by_number(MerchantId merchant, const OrderFilter& filter,
                                                             const Page& page) {
  const auto id = named(key_of_order_no(merchant, *filter.merchant_order_no));
  if (!id) return std::unexpected(id.error());
  auto order = load_aggregate<OrderAggregate>(database_, OrderId{*id});
  if (!order) return std::unexpected(order.error());
  Listed<OrderAggregate> list;
  const bool in_page = (!page.after || *id < *page.after) && (!page.before || *id > *page.before);
  if (*order && in_page && matches((*order)->order, filter)) list.rows.push_back(std::move(**order));
  return list;
}

Result<Listed<OrderAggregate>> SqliteReader::list_orders(MerchantId merchant, const OrderFilter& filter,
                                                         const Page& page) {
  Window window(page, false);
  // An id contains its creation time, so created_from is also a lower bound of the id.
  if (filter.created_from) window.above = std::max(window.above, first_id_at(*filter.created_from) - 1);
  std::string sql = "WHERE merchant_id=? AND id>? AND id<?";
  if (filter.state) sql += " AND state=?";
  if (filter.created_to) sql += " AND created_at<?";
  if (filter.created_from) sql += " AND created_at>=?";
  SqlStatement statement = database_.prepare(select_text<Order>(sql + std::string(window.order()) + " LIMIT ?"));
  statement.bind(merchant).bind(window.above).bind(window.below);
  if (filter.state) statement.bind(*filter.state);
  if (filter.created_to) statement.bind(*filter.created_to);
  if (filter.created_from) statement.bind(*filter.created_from);
  statement.bind(static_cast<std::int64_t>(page.limit + 1));
  auto orders = read_rows<Order>(database_, statement);
  if (!orders) return std::unexpected(orders.error());

  Listed<Order> cut_orders = cut(std::move(*orders), page);
  Listed<OrderAggregate> list{{}, cut_orders.has_more};
  for (Order& order : cut_orders.rows) {
    OrderAggregate& aggregate = list.rows.emplace_back();
    aggregate.order = std::move(order);
    if (auto loaded = load_children_of(database_, aggregate); !loaded) return std::unexpected(loaded.error());
  }
  return list;
}

Result<std::optional<OrderId>> SqliteReader::order_of(ObjectRef child) {
  static const std::map<ObjectType, std::string> queries = [] {
    std::map<ObjectType, std::string> made;
    store::for_each_order_of_sql(
        "?", [&](ObjectType type, const std::string&, const std::string& sql) { made.emplace(type, sql); });
    return made;
  }();
  const auto at = queries.find(child.type);
  if (at == queries.end()) return std::nullopt;
  SqlStatement statement = database_.prepare(at->second);
  const StepResult step = statement.bind(child.value).step();
  if (step == StepResult::failed) return std::unexpected(database_.error("look up an order"));
  return step == StepResult::row ? std::optional(statement.read<OrderId>()) : std::nullopt;
}

Result<std::optional<MerchantId>> SqliteReader::merchant_of(OrderId id) {
  SqlStatement statement = database_.prepare("SELECT merchant_id FROM orders WHERE id=?");
  const StepResult step = statement.bind(id).step();
  if (step == StepResult::failed) return std::unexpected(database_.error("look up the merchant of an order"));
  return step == StepResult::row ? std::optional(statement.read<MerchantId>()) : std::nullopt;
}

Result<std::int64_t> SqliteReader::root_of_posting(MerchantId merchant, ObjectRef document) {
  static const Sql sql(store::root_of_posting_sql("?", "?", "?", "?"));
  const EntrySpan span = span_of_posting(document);
  SqlStatement statement = database_.prepare(sql);
  const StepResult step = statement.bind(span.after).bind(span.until).bind(document.value).bind(merchant).step();
  if (step == StepResult::failed) return std::unexpected(database_.error("look up the posting of a document"));
  return step == StepResult::row ? statement.read<std::int64_t>() : 0;
}

Result<Listed<Event>> SqliteReader::events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                                           bool oldest_first) {
  return store::page_of_events(object, page, oldest_first, [&](const Window& window, std::size_t limit) {
    SqlStatement statement = database_.prepare(
        select_text<Change>("WHERE root_id=? AND id>? AND id<?" + std::string(window.order()) + " LIMIT ?"));
    statement.bind(root_id).bind(window.above).bind(window.below).bind(static_cast<std::int64_t>(limit));
    return read_rows<Change>(database_, statement);
  });
}

Result<Listed<Case>> SqliteReader::cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) {
  const Window window(page, false);
  std::string sql = "WHERE merchant_id=? AND id>? AND id<?";
  if (state) sql += " AND state=?";
  SqlStatement statement = database_.prepare(select_text<Case>(sql + std::string(window.order()) + " LIMIT ?"));
  statement.bind(merchant).bind(window.above).bind(window.below);
  if (state) statement.bind(*state);
  statement.bind(static_cast<std::int64_t>(page.limit + 1));
  auto rows = read_rows<Case>(database_, statement);
  if (!rows) return std::unexpected(rows.error());
  return cut(std::move(*rows), page);
}

Result<Listed<Delivery>> SqliteReader::deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) {
  const Window window(page, false);
  std::string sql = "WHERE merchant_id=? AND id>? AND id<?";
  if (order) sql += " AND order_id=?";
  SqlStatement statement = database_.prepare(select_text<Delivery>(sql + std::string(window.order()) + " LIMIT ?"));
  statement.bind(merchant).bind(window.above).bind(window.below);
  if (order) statement.bind(*order);
  statement.bind(static_cast<std::int64_t>(page.limit + 1));
  auto rows = read_rows<Delivery>(database_, statement);
  if (!rows) return std::unexpected(rows.error());
  return cut(std::move(*rows), page);
}

Result<std::int64_t> SqliteReader::named(const Hash16& key) {
  SqlStatement statement = database_.prepare("SELECT id FROM keys WHERE hash=?");
  const StepResult step = statement.bind(key).step();
  if (step == StepResult::failed) return std::unexpected(database_.error("read keys"));
  return step == StepResult::row ? statement.read<std::int64_t>() : 0;
}

template <class Row, class... Parameters>
Result<Listed<Row>> SqliteReader::page_of(std::string where, Window window, const Page& page,
                                          const Parameters&... parameters) {
  SqlStatement statement = database_.prepare(
      select_text<Row>("WHERE id>? AND id<? AND " + where + std::string(window.order()) + " LIMIT ?"));
  statement.bind(window.above).bind(window.below);
  (statement.bind(parameters), ...);
  statement.bind(static_cast<std::int64_t>(page.limit + 1));
  auto rows = read_rows<Row>(database_, statement);
  if (!rows) return std::unexpected(rows.error());
  return cut(std::move(*rows), page);
}

Result<Listed<Account>> SqliteReader::accounts(MerchantId merchant, const Page& page) {
  return page_of<Account>("merchant_id=? AND kind='user'", Window(page, false), page, merchant);
}

Result<Listed<Entry>> SqliteReader::entries(const Account& account, const EntryFilter& filter, const Page& page) {
  static const Sql indexed_sql{std::string(store::kIndexedEntrySql)};
  static const Sql chain_sql{store::entry_chain_sql()};
  static const Sql ahead_sql{store::entry_ahead_sql()};
  const auto id_of = [&](const Sql& sql, std::int64_t at_least, auto value) -> Result<std::optional<EntryId>> {
    SqlStatement statement = database_.prepare(sql);
    statement.bind(account.merchant_id).bind(account.id).bind(at_least).bind(value);
    const StepResult step = statement.step();
    if (step == StepResult::failed) return std::unexpected(database_.error("read entries"));
    return step == StepResult::row ? std::optional(statement.read<EntryId>()) : std::nullopt;
  };
  const auto indexed = [&](std::int64_t at_least, std::int64_t others) { return id_of(indexed_sql, at_least, others); };
  const auto ahead = [&](std::int64_t at_least, Time to) { return id_of(ahead_sql, at_least, to); };
  const auto walk = [&](const store::EntryWalk& walk) {
    return select_rows<Entry>(database_, chain_sql, walk.start, walk.below, walk.from, walk.to, walk.merchant,
                              walk.account, walk.enough, walk.above);
  };
  return store::list_entries(account, filter, page, indexed, ahead, walk);
}

Result<Listed<Hold>> SqliteReader::holds(AccountId account, std::optional<HoldState> state, const Page& page) {
  if (state) return page_of<Hold>("account_id=? AND state=?", Window(page, false), page, account, *state);
  return page_of<Hold>("account_id=?", Window(page, false), page, account);
}

Result<Listed<Price>> SqliteReader::prices(MerchantId merchant, const Page& page) {
  return page_of<Price>("merchant_id=?", Window(page, false), page, merchant);
}

Result<Listed<UnknownReceipt>> SqliteReader::unknown_receipts(std::optional<UnknownReceiptState> state,
                                                              const Page& page) {
  if (state) return page_of<UnknownReceipt>("merchant_id=? AND state=?", Window(page, false), page, kPlatform, *state);
  return page_of<UnknownReceipt>("merchant_id=?", Window(page, false), page, kPlatform);
}

// Reads one page of the rows that meet those conditions of `conditions` whose value is set.
template <class Row, class... Values>
Result<Listed<Row>> SqliteReader::filtered(const Page& page, const std::pair<std::string_view, Values>&... conditions) {
  const Window window(page, false);
  std::string sql = "WHERE id>? AND id<?";
  const auto add = [&](const auto& condition) {
    if (condition.second) sql += fmt::format(" AND {}?", condition.first);
  };
  (add(conditions), ...);
  SqlStatement statement = database_.prepare(select_text<Row>(sql + std::string(window.order()) + " LIMIT ?"));
  statement.bind(window.above).bind(window.below);
  const auto bind = [&](const auto& condition) {
    if (condition.second) statement.bind(*condition.second);
  };
  (bind(conditions), ...);
  statement.bind(static_cast<std::int64_t>(page.limit + 1));
  auto rows = read_rows<Row>(database_, statement);
  if (!rows) return std::unexpected(rows.error());
  return cut(std::move(*rows), page);
}

Result<Listed<Statement>> SqliteReader::statements(const StatementFilter& filter, const Page& page) {
  using namespace std::string_view_literals;
  return filtered<Statement>(page, std::pair("channel_account_id="sv, filter.channel_account_id),
                             std::pair("kind="sv, filter.kind), std::pair("date>="sv, filter.from),
                             std::pair("date<="sv, filter.to), std::pair("state="sv, filter.state));
}

Result<Listed<Difference>> SqliteReader::differences(const DifferenceFilter& filter, const Page& page) {
  using namespace std::string_view_literals;
  return filtered<Difference>(
      page, std::pair("merchant_id="sv, filter.merchant_id),
      std::pair("channel_account_id="sv, filter.channel_account_id), std::pair("date>="sv, filter.from),
      std::pair("date<="sv, filter.to), std::pair("difference_class="sv, filter.difference_class),
      std::pair("state="sv, filter.state), std::pair("changes_balance="sv, filter.changes_balance),
      std::pair("kind="sv, filter.kind));
}

Result<Listed<Adjustment>> SqliteReader::adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                                     const Page& page) {
  if (state) return page_of<Adjustment>("merchant_id=? AND state=?", Window(page, false), page, merchant, *state);
  return page_of<Adjustment>("merchant_id=?", Window(page, false), page, merchant);
}

Result<std::vector<DueRow>> SqliteReader::due(Time now, std::size_t limit, const DueBehind& behind) {
  std::vector<DueRow> rows;
  Result<void> read;
  for_each_row_type<store::DueRows>([&]<class Row>(std::type_identity<Row>) {
    if (read) read = add_due<Row>(behind_of(behind, decltype(Row::id)::type), now, limit, rows);
  });
  if (!read) return std::unexpected(read.error());
  std::ranges::sort(rows, {}, [](const DueRow& row) { return std::pair(row.due_at, row.row); });
  return rows;
}

template <class Row>
Result<void> SqliteReader::add_due(DuePlace behind, Time now, std::size_t limit, std::vector<DueRow>& rows) {
  static const Sql sql(store::due_columns<Row>() + " WHERE (due_at,id)>(?,?) AND due_at<=? ORDER BY due_at,id LIMIT ?");
  SqlStatement statement = database_.prepare(sql);
  statement.bind(behind.due_at).bind(behind.id).bind(now).bind(static_cast<std::int64_t>(limit));
  for (StepResult step = statement.step(); step != StepResult::done; step = statement.step()) {
    if (step == StepResult::failed) return std::unexpected(database_.error("scan due rows"));
    DueRow& row = rows.emplace_back();
    row.row = ObjectRef(decltype(Row::id)::type, statement.read<std::int64_t>());
    statement.read(row.merchant_id);
    statement.read(row.order_id);
    statement.read(row.due_at);
    statement.read(row.channel_account_id);
  }
  return {};
}

Result<std::vector<EntrySum>> SqliteReader::entry_sums(ChannelAccountId id, Time from, Time to) {
  static const Sql sql(store::entry_sums_sql({"?1", "?2", "?3", "?4", "?5"}));
  const store::IdBounds ids = store::id_bounds_of(from, to);
  SqlStatement statement = database_.prepare(sql);
  statement.bind(ids.from).bind(ids.to).bind(from).bind(to).bind(id);
  std::vector<EntrySum> sums;
  for (StepResult step = statement.step(); step != StepResult::done; step = statement.step()) {
    if (step == StepResult::failed) return std::unexpected(database_.error("sum entries"));
    const auto type = parse_enum<EntryType>(statement.read<std::string>());
    if (!type) return fail("an entry has an unknown type");
    EntrySum& sum = sums.emplace_back();
    sum.type = *type;
    statement.read(sum.currency);
    statement.read(sum.entries);
    statement.read(sum.amount);
  }
  return sums;
}

Result<std::vector<ChangedOrder>> SqliteReader::changed_orders(EventId after, EventId before, std::size_t limit) {
  static const Sql sql(store::changed_orders_sql("?", "?", "?"));
  SqlStatement statement = database_.prepare(sql);
  statement.bind(after).bind(before).bind(static_cast<std::int64_t>(limit));
  std::vector<ChangedOrder> found;
  for (StepResult step = statement.step(); step != StepResult::done; step = statement.step()) {
    if (step == StepResult::failed) return std::unexpected(database_.error("find changed orders"));
    ChangedOrder& change = found.emplace_back();
    statement.read(change.event);
    statement.read(change.order_id);
  }
  return found;
}

Result<std::vector<OrderId>> SqliteReader::disagreeing_orders(std::size_t limit) {
  static const Sql sql(store::disagreeing_orders_sql("?"));
  SqlStatement statement = database_.prepare(sql);
  statement.bind(static_cast<std::int64_t>(limit));
  std::vector<OrderId> found;
  for (StepResult step = statement.step(); step != StepResult::done; step = statement.step()) {
    if (step == StepResult::failed) return std::unexpected(database_.error("find orders with a case"));
    found.push_back(statement.read<OrderId>());
  }
  return found;
}

Result<void> SqliteReader::ping() {
  if (database_.prepare("SELECT 1 FROM nodes LIMIT 1").step() == StepResult::failed)
    return std::unexpected(database_.error("ping"));
  return {};
}

}  // namespace

std::unique_ptr<Reader> make_reader(Database database) { return std::make_unique<SqliteReader>(std::move(database)); }

}  // namespace finality::sqlite
