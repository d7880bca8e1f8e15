#include "store/memory/reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/limits.h"
#include "store/memory/load.h"
#include "store/sql/packed_events.h"
#include "store/sql/paging.h"
#include "store/taken_back.h"

namespace finality::memory {
namespace {

using store::cut;
using store::matches;
using store::Window;

template <class Row>
auto id_of(const Row& row) {
  if constexpr (requires { row.order.id; })
    return row.order.id;
  else
    return row.id;
}

/// Returns one page of the rows that `visit` visits and for which `is_accepted` returns true. `visit` may visit rows in
/// any order.
template <class Row, class Visit, class Predicate>
Listed<Row> page_of(Visit visit, const Window& window, const Page& page, Predicate is_accepted) {
  std::vector<const Row*> found;
  visit([&](const Row& row) {
    const std::int64_t id = id_of(row).value;
    if (id > window.above && id < window.below && is_accepted(row)) found.push_back(&row);
  });
  std::ranges::sort(found, [&](const Row* one, const Row* other) {
    return window.upwards ? id_of(*one) < id_of(*other) : id_of(*other) < id_of(*one);
  });
  if (found.size() > page.limit + 1) found.resize(page.limit + 1);
  std::vector<Row> rows;
  for (const Row* row : found) rows.push_back(*row);
  return cut(std::move(rows), page);
}

/// Returns a function that calls its argument with each value of `map`.
template <class Map>
auto values_of(const Map& map) {
  return [&map](auto visit) {
    for (const auto& [key, row] : map) visit(row);
  };
}

// Whether the database stores find an object of this type by its id alone. For other children of an order they need the
// order's id too, so order_of() returns empty.
bool is_found_by_id(ObjectType type) {
  bool found = type == ObjectType::order;
  for_each_row_type<ChildRows<OrderAggregate>>([&]<class Row>(std::type_identity<Row>) {
    found = found || (decltype(Row::id)::type == type && RowTraits<Row>::key == "id");
  });
  return found;
}

class MemoryReader final : public Reader {
 public:
  explicit MemoryReader(std::shared_ptr<Tables> tables) : tables_(std::move(tables)) {}

  Result<std::optional<OrderAggregate>> order(OrderId id) override { return copy<OrderAggregate>(id); }
  Result<std::optional<Merchant>> merchant(MerchantId id) override { return copy<Merchant>(id); }
  Result<std::optional<Account>> account(AccountId id) override { return copy<Account>(id); }
  Result<std::optional<Transfer>> transfer(TransferId id) override { return copy<Transfer>(id); }
  Result<std::optional<Hold>> hold(HoldId id) override { return copy<Hold>(id); }
  Result<std::optional<Price>> price(PriceId id) override { return copy<Price>(id); }
  Result<std::optional<Adjustment>> adjustment(AdjustmentId id) override { return copy<Adjustment>(id); }
  Result<std::optional<Delivery>> delivery(DeliveryId id) override {
    const std::shared_lock lock(tables_->mutex);
    const DeliveryAggregate* found = find_in(tables_->of<DeliveryAggregate>(), id);
    return found == nullptr ? std::nullopt : std::optional(found->delivery);
  }
  Result<std::optional<UnknownReceipt>> unknown_receipt(UnknownReceiptId id) override {
    const std::shared_lock lock(tables_->mutex);
    const UnknownReceiptAggregate* found = find_in(tables_->of<UnknownReceiptAggregate>(), id);
    return found == nullptr ? std::nullopt : std::optional(found->unknown_receipt);
  }
  Result<Listed<UnknownReceipt>> unknown_receipts(std::optional<UnknownReceiptState> state, const Page& page) override {
    const std::shared_lock lock(tables_->mutex);
    const auto visit_all = [this](auto visit) {
      for (const auto& [id, aggregate] : tables_->of<UnknownReceiptAggregate>()) visit(aggregate.unknown_receipt);
    };
    return page_of<UnknownReceipt>(visit_all, Window(page, false), page, [&](const UnknownReceipt& row) {
      return row.merchant_id == kPlatform && (!state || row.state == *state);
    });
  }
  Result<std::optional<StatementAggregate>> statement(StatementId id) override { return copy<StatementAggregate>(id); }
  Result<Listed<Statement>> statements(const StatementFilter& filter, const Page& page) override;
  Result<std::optional<Statement>> newest_statement(ChannelAccountId account, StatementKind kind,
                                                    const std::string& funds_account, const std::string& date,
                                                    StatementSource source) override;
  Result<std::vector<Statement>> due_statements(Time now, std::size_t limit, const DuePlace& behind) override;
  Result<std::optional<StatementPart>> statement_part(StatementId id, std::int64_t part_no) override {
    const std::shared_lock lock(tables_->mutex);
    const auto at = tables_->statement_parts.find({id, part_no});
    return at == tables_->statement_parts.end() ? std::nullopt : std::optional(at->second);
  }
  Result<std::optional<StatementMatch>> match_of_line(MerchantId merchant, const Hash16& line) override {
    const std::shared_lock lock(tables_->mutex);
    for (const auto& [document, match] : tables_->of<StatementMatch>())
      if (match.line == line && match.merchant_id == merchant) return match;
    return std::nullopt;
  }
  Result<std::optional<DifferenceAggregate>> difference(DifferenceId id) override {
    return copy<DifferenceAggregate>(id);
  }
  Result<Listed<Difference>> differences(const DifferenceFilter& filter, const Page& page) override;
  Result<std::vector<Entry>> unmatched_entries(ChannelAccountId account, StatementKind kind, const EntrySpan& span,
                                               std::size_t limit) override;
  Result<std::vector<FundsMatch>> funds_matches(StatementId id, std::size_t limit) override;
  Result<std::vector<Account>> accounts_of_channel_account(ChannelAccountId id) override;
  Result<std::int64_t> root_of_posting(MerchantId merchant, ObjectRef document) override;
  Result<std::vector<EntrySum>> entry_sums(ChannelAccountId id, Time from, Time to) override;
  Result<std::vector<ChangedOrder>> changed_orders(EventId after, EventId before, std::size_t limit) override;
  Result<std::vector<Entry>> order_entries(const Order& order) override;
  Result<std::vector<OrderId>> disagreeing_orders(std::size_t limit) override;
  Result<void> load(const ReadSet& reads, WorkingSet& rows) override {
    const std::shared_lock lock(tables_->mutex);
    load_needs(*tables_, reads, rows);
    return {};
  }
  Result<std::optional<ArchivedOrder>> archived_order(OrderId id) override {
    const std::shared_lock lock(tables_->mutex);
    const auto at = tables_->archived_orders.find(id);
    return at == tables_->archived_orders.end() ? std::nullopt : std::optional(at->second);
  }
  Result<std::optional<OrderId>> order_of(ObjectRef child) override {
    const std::shared_lock lock(tables_->mutex);
    const OrderId order = child.type == ObjectType::order ? OrderId{child.value} : tables_->root_of<OrderId>(child);
    const bool is_found = is_found_by_id(child.type) && tables_->of<OrderAggregate>().contains(order);
    return is_found ? std::optional(order) : std::nullopt;
  }
  Result<std::optional<MerchantId>> merchant_of(OrderId id) override {
    const std::shared_lock lock(tables_->mutex);
    const OrderAggregate* found = find_in(tables_->of<OrderAggregate>(), id);
    return found == nullptr ? std::nullopt : std::optional(found->order.merchant_id);
  }
  Result<std::optional<ApiKey>> api_key(const Hash16& hash) override {
    const std::shared_lock lock(tables_->mutex);
    for (const auto& [id, key] : tables_->of<ApiKey>())
      if (key.hash == hash) return key;
    return std::nullopt;
  }
  Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) override {
    return copy<ChannelAccount>(id);
  }
  Result<std::vector<ChannelAccount>> channel_accounts() override {
    return list_of<ChannelAccount>({.limit = limits::kChannelAccountsMax + 1},
                                   [](const ChannelAccount&) { return true; })
        .rows;
  }
  Result<std::optional<ChannelRate>> channel_rate(ChannelRateId id) override { return copy<ChannelRate>(id); }
  Result<std::vector<ChannelRate>> channel_rates() override {
    constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max() - 1;
    return list_of<ChannelRate>({.limit = kAll}, [](const ChannelRate&) { return true; }).rows;
  }
  Result<std::int64_t> named(const Hash16& hash) override {
    const std::shared_lock lock(tables_->mutex);
    const Key* key = find_in(tables_->of<Key>(), hash);
    return key == nullptr ? 0 : key->id;
  }
  Result<std::vector<Fee>> fees(MerchantId merchant) override {
    const std::shared_lock lock(tables_->mutex);
    return fees_of(*tables_, merchant);
  }
  Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) override {
    const std::shared_lock lock(tables_->mutex);
    return endpoints_of(*tables_, merchant);
  }
  Result<std::vector<Entry>> journal(EntryId first) override {
    const std::shared_lock lock(tables_->mutex);
    std::vector<Entry> entries;
    for (auto at = tables_->entries.find(first); at != tables_->entries.end(); ++at)
      if (at->second.journal_id == first) entries.push_back(at->second);
    return entries;
  }
  Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter& filter, const Page& page) override {
    const std::shared_lock lock(tables_->mutex);
    const auto is_listed = [&](const OrderAggregate& row) {
      return row.order.merchant_id == merchant && matches(row.order, filter) &&
             (!filter.merchant_order_no || row.order.merchant_order_no == *filter.merchant_order_no);
    };
    return page_of<OrderAggregate>(values_of(tables_->of<OrderAggregate>()), Window(page, false), page, is_listed);
  }
  Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                               bool oldest_first) override {
    const std::shared_lock lock(tables_->mutex);
    const auto* events = find_in(tables_->events, root_id);
    if (events == nullptr) return Listed<Event>{};
    const auto visit_all = [events](auto visit) { std::ranges::for_each(*events, visit); };
    return page_of<Event>(visit_all, Window(page, oldest_first), page, [&](const Event& row) {
      return !object || *object == ObjectRef(row.object_type, row.object_id);
    });
  }
  Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) override {
    return list_of<Account>(
        page, [merchant](const Account& row) { return row.merchant_id == merchant && row.kind == AccountKind::user; });
  }
  Result<std::vector<Account>> ledger_accounts(MerchantId merchant) override {
    const std::shared_lock lock(tables_->mutex);
    std::vector<Account> found;
    for (const auto& [id, row] : tables_->of<Account>())
      if (row.merchant_id == merchant && row.kind != AccountKind::user) found.push_back(row);
    std::ranges::sort(found, {}, &Account::id);
    return found;
  }
  Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) override {
    return list(tables_->entries, page, [&](const Entry& row) {
      return row.account_id == account.id && (!filter.from || row.created_at >= *filter.from) &&
             (!filter.to || row.created_at < *filter.to);
    });
  }
  Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) override {
    return list_of<Hold>(page,
                         [&](const Hold& row) { return row.account_id == account && (!state || row.state == *state); });
  }
  Result<Listed<Price>> prices(MerchantId merchant, const Page& page) override {
    return list_of<Price>(page, [merchant](const Price& row) { return row.merchant_id == merchant; });
  }
  Result<Listed<Adjustment>> adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                         const Page& page) override {
    return list_of<Adjustment>(
        page, [&](const Adjustment& row) { return row.merchant_id == merchant && (!state || row.state == *state); });
  }
  Result<std::optional<Case>> find_case(CaseId id) override {
    const std::shared_lock lock(tables_->mutex);
    std::optional<Case> found;
    for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
      if constexpr (kHasChildType<T, Case>) {
        const auto root = tables_->root_of<decltype(RootRow<T>::id)>(id);
        if (root) found = *find_row(children_in<Case>(tables_->of<T>().at(root)), id);
      }
    });
    return found;
  }
  Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) override {
    const std::shared_lock lock(tables_->mutex);
    const auto visit_all = [this](auto visit) {
      for_each_list_of_cases([&](const std::vector<Case>& cases) { std::ranges::for_each(cases, visit); });
    };
    return page_of<Case>(visit_all, Window(page, false), page, [&](const Case& row) {
      return row.merchant_id == merchant && (!state || row.state == *state);
    });
  }
  Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) override {
    const std::shared_lock lock(tables_->mutex);
    const auto visit_all = [this](auto visit) {
      for (const auto& [id, aggregate] : tables_->of<DeliveryAggregate>()) visit(aggregate.delivery);
    };
    return page_of<Delivery>(visit_all, Window(page, false), page, [&](const Delivery& row) {
      return row.merchant_id == merchant && (!order || row.order_id == *order);
    });
  }
  Result<std::vector<DueRow>> due(Time now, std::size_t limit, const DueBehind& behind) override {
    const std::shared_lock lock(tables_->mutex);
    std::vector<DueRow> rows;
    std::map<ObjectType, std::size_t> found;
    for (auto at = tables_->due.begin(); at != tables_->due.end() && at->first.first <= now; ++at) {
      const ObjectType type = at->second.row.type;
      if (place_of(at->second) <= behind_of(behind, type)) continue;
      if (found[type]++ < limit) rows.push_back(at->second);
    }
    return rows;
  }
  Result<void> ping() override { return {}; }

 private:
  template <class Map>
  static std::optional<typename Map::mapped_type> value_of(const Map& map, const typename Map::key_type& key) {
    const auto* found = find_in(map, key);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  template <class T, class AnId>
  std::optional<T> copy(AnId id) {
    const std::shared_lock lock(tables_->mutex);
    return value_of(tables_->of<T>(), id);
  }
  template <class Map, class Predicate>
  Listed<typename Map::mapped_type> list(const Map& map, const Page& page, Predicate is_accepted) {
    const std::shared_lock lock(tables_->mutex);
    return page_of<typename Map::mapped_type>(values_of(map), Window(page, false), page, is_accepted);
  }
  template <class Row, class Predicate>
  Listed<Row> list_of(const Page& page, Predicate is_accepted) {
    return list(tables_->of<Row>(), page, is_accepted);
  }
  template <class Visit>
  void for_each_list_of_cases(Visit visit) {
    for_each_aggregate_type([&]<class T>(std::type_identity<T>) {
      if constexpr (kHasChildType<T, Case>)
        for (const auto& [id, one] : tables_->of<T>()) visit(children_in<Case>(one));
    });
  }

  std::shared_ptr<Tables> tables_;
};

/// Whether a filter has no value, or that of the row.
template <class T>
bool is_met(const std::optional<T>& wanted, const T& value) {
  return !wanted || *wanted == value;
}

Result<Listed<Statement>> MemoryReader::statements(const StatementFilter& filter, const Page& page) {
  const std::shared_lock lock(tables_->mutex);
  const auto visit_all = [this](auto visit) {
    for (const auto& [id, aggregate] : tables_->of<StatementAggregate>()) visit(aggregate.statement);
  };
  return page_of<Statement>(visit_all, Window(page, false), page, [&](const Statement& row) {
    return is_met(filter.channel_account_id, row.channel_account_id) && is_met(filter.kind, row.kind) &&
           (!filter.from || row.date >= *filter.from) && (!filter.to || row.date <= *filter.to) &&
           is_met(filter.state, row.state);
  });
}

Result<std::optional<Statement>> MemoryReader::newest_statement(ChannelAccountId account, StatementKind kind,
                                                                const std::string& funds_account,
                                                                const std::string& date, StatementSource source) {
  const std::shared_lock lock(tables_->mutex);
  const Statement* newest = nullptr;
  for (const auto& [id, aggregate] : tables_->of<StatementAggregate>()) {
    const Statement& row = aggregate.statement;
    const bool is_wanted = row.channel_account_id == account && row.kind == kind &&
                           row.funds_account == funds_account && row.date == date && row.source == source;
    if (is_wanted && (newest == nullptr || row.file_version > newest->file_version)) newest = &row;
  }
  return newest == nullptr ? std::nullopt : std::optional(*newest);
}

Result<std::vector<Statement>> MemoryReader::due_statements(Time now, std::size_t limit, const DuePlace& behind) {
  const std::shared_lock lock(tables_->mutex);
  std::vector<Statement> rows;
  const auto place = [](const Statement& row) { return DuePlace{*row.due_at, row.id.value}; };
  for (const auto& [id, aggregate] : tables_->of<StatementAggregate>()) {
    const Statement& row = aggregate.statement;
    if (row.due_at && *row.due_at <= now && place(row) > behind) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, place);
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<Listed<Difference>> MemoryReader::differences(const DifferenceFilter& filter, const Page& page) {
  const std::shared_lock lock(tables_->mutex);
  const auto visit_all = [this](auto visit) {
    for (const auto& [id, aggregate] : tables_->of<DifferenceAggregate>()) visit(aggregate.difference);
  };
  return page_of<Difference>(visit_all, Window(page, false), page, [&](const Difference& row) {
    return is_met(filter.merchant_id, row.merchant_id) && is_met(filter.channel_account_id, row.channel_account_id) &&
           (!filter.from || row.date >= *filter.from) && (!filter.to || row.date <= *filter.to) &&
           is_met(filter.difference_class, row.difference_class) && is_met(filter.state, row.state) &&
           is_met(filter.changes_balance, row.changes_balance) && is_met(filter.kind, row.kind);
  });
}

Result<std::vector<Entry>> MemoryReader::unmatched_entries(ChannelAccountId account, StatementKind kind,
                                                           const EntrySpan& span, std::size_t limit) {
  const auto is_matched = [&](const Entry& entry) {
    if (kind == StatementKind::trades) return tables_->of<StatementMatch>().contains(entry.document_id);
    if (entry.document_type == ObjectType::statement) return true;
    return !store::takes_back(entry.type) && tables_->of<FundsMatch>().contains(entry.document_id);
  };
  const std::shared_lock lock(tables_->mutex);
  std::vector<Entry> rows;
  for (auto at = tables_->entries.upper_bound(span.after);
       at != tables_->entries.end() && at->first <= span.until && rows.size() < limit; ++at) {
    const Account* owner = find_in(tables_->of<Account>(), at->second.account_id);
    if (owner->kind == AccountKind::channel_receivable && owner->channel_account_id == account &&
        !is_matched(at->second))
      rows.push_back(at->second);
  }
  return rows;
}

Result<std::vector<FundsMatch>> MemoryReader::funds_matches(StatementId id, std::size_t limit) {
  const std::shared_lock lock(tables_->mutex);
  std::vector<FundsMatch> rows;
  for (const auto& [document, row] : tables_->of<FundsMatch>())
    if (row.statement_id == id) rows.push_back(row);
  std::ranges::sort(rows, {}, [](const FundsMatch& row) { return std::pair(row.line_no, row.document_id); });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<std::vector<Account>> MemoryReader::accounts_of_channel_account(ChannelAccountId id) {
  const std::shared_lock lock(tables_->mutex);
  std::vector<Account> rows;
  for (const auto& [key, row] : tables_->of<Account>())
    if (row.channel_account_id == id) rows.push_back(row);
  std::ranges::sort(rows, {}, &Account::id);
  return rows;
}

Result<std::vector<EntrySum>> MemoryReader::entry_sums(ChannelAccountId id, Time from, Time to) {
  const std::shared_lock lock(tables_->mutex);
  std::map<std::pair<Currency, EntryType>, EntrySum> sums;
  for (const auto& [key, entry] : tables_->entries) {
    if (entry.created_at < from || entry.created_at >= to ||
        find_in(tables_->of<Account>(), entry.account_id)->channel_account_id != id)
      continue;
    EntrySum& sum = sums[{entry.currency, entry.type}];
    sum.type = entry.type;
    sum.currency = entry.currency;
    sum.entries += 1;
    sum.amount += entry.amount;
  }
  std::vector<EntrySum> rows;
  for (const auto& [key, sum] : sums) rows.push_back(sum);
  return rows;
}

Result<std::vector<ChangedOrder>> MemoryReader::changed_orders(EventId after, EventId before, std::size_t limit) {
  const std::shared_lock lock(tables_->mutex);
  std::vector<ChangedOrder> found;
  for (const auto& [root, events] : tables_->events)
    for (const Event& event : events)
      if (event.id > after && event.id < before && store::is_checked(event)) found.push_back({event.id, OrderId{root}});
  std::ranges::sort(found, {}, &ChangedOrder::event);
  if (found.size() > limit) found.resize(limit);
  return found;
}

Result<std::int64_t> MemoryReader::root_of_posting(MerchantId merchant, ObjectRef document) {
  const EntrySpan span = span_of_posting(document);
  const std::shared_lock lock(tables_->mutex);
  for (auto at = tables_->entries.upper_bound(span.after); at != tables_->entries.end() && at->first <= span.until;
       ++at)
    if (at->second.document_id == document.value && at->second.merchant_id == merchant) return at->second.root_id;
  return 0;
}

Result<std::vector<Entry>> MemoryReader::order_entries(const Order& order) {
  const std::shared_lock lock(tables_->mutex);
  std::vector<Entry> found;
  const auto* events = find_in(tables_->events, order.id.value);
  if (events == nullptr) return found;
  std::set<EntryId> journals;
  for (const Event& event : *events)
    if (event.journal_id) journals.insert(*event.journal_id);
  for (const auto& [id, entry] : tables_->entries)
    if (journals.contains(entry.journal_id)) found.push_back(entry);
  return found;
}

Result<std::vector<OrderId>> MemoryReader::disagreeing_orders(std::size_t limit) {
  const std::shared_lock lock(tables_->mutex);
  std::map<CaseId, OrderId> found;
  for (const auto& [id, aggregate] : tables_->of<OrderAggregate>())
    for (const Case& row : aggregate.cases)
      if (row.kind == CaseKind::identity && !case_machine.is_final(row.state)) found.emplace(row.id, id);
  std::vector<OrderId> orders;
  for (const auto& [id, order] : found)
    if (orders.size() < limit) orders.push_back(order);
  return orders;
}

}  // namespace

std::unique_ptr<Reader> make_reader(std::shared_ptr<Tables> tables) {
  return std::make_unique<MemoryReader>(std::move(tables));
}

}  // namespace finality::memory
