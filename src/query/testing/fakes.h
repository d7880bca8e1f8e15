// Fakes for tests of query and http: a store whose rows are in maps, and an engine that passes requests to the test.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/testing/test_clock.h"
#include "engine/engine.h"
#include "store/store.h"

namespace finality::query {

inline constexpr Time kNow{1'800'000'000'000};

/// Rows of the fake store. Only the atomic members are thread safe: fill all other members before the first read.
struct FakeRows {
  std::map<OrderId, OrderAggregate> orders;
  std::map<OrderId, ArchivedOrder> archived_orders;
  std::map<MerchantId, Merchant> merchants;
  std::map<Hash16, ApiKey> api_keys;
  std::map<ChannelAccountId, ChannelAccount> channel_accounts;
  std::map<ChannelRateId, ChannelRate> channel_rates;
  std::map<AccountId, Account> accounts;
  std::map<TransferId, Transfer> transfers;
  std::map<HoldId, Hold> holds;
  std::map<PriceId, Price> prices;
  std::map<AdjustmentId, Adjustment> adjustments;
  std::map<Hash16, std::int64_t> keys;
  std::vector<Fee> fees;
  std::vector<Event> events;
  std::vector<Entry> entries;
  std::vector<Delivery> deliveries;
  std::map<UnknownReceiptId, UnknownReceipt> unknown_receipts;
  std::map<StatementId, StatementAggregate> statements;
  std::map<DifferenceId, DifferenceAggregate> differences;
  std::map<CaseId, Case> cases;
  std::vector<WebhookEndpoint> endpoints;
  std::function<void()> before_order = [] {};  // runs before each read of an order
  std::function<void()> during_key = [] {};    // runs in each read of an API key, after the row was read
  std::atomic<int> order_reads = 0;
  std::atomic<int> key_reads = 0;
  std::atomic<int> merchant_reads = 0;
  std::atomic<bool> broken = false;

  ApiKey& add_key(const std::string& text, Role role, std::optional<MerchantId> merchant) {
    ApiKey key;
    key.id = ApiKeyId{static_cast<std::int64_t>(api_keys.size()) + 1};
    key.role = role;
    key.merchant_id = merchant;
    key.hash = sha256_16(text);
    return api_keys[key.hash] = key;
  }
  Merchant& add_merchant(MerchantId id) {
    Merchant merchant;
    merchant.id = id;
    merchant.name = "The corner shop";
    merchant.webhook_secret = Secret("whsec_c2VjcmV0");
    merchant.link_secret = Secret("link");
    return merchants[id] = merchant;
  }
  OrderAggregate& add_order(OrderId id, MerchantId merchant) {
    OrderAggregate aggregate;
    aggregate.order.id = id;
    aggregate.order.merchant_id = merchant;
    aggregate.order.merchant_order_no = "A-1";
    aggregate.order.amount = 1234;
    aggregate.order.currency = *parse_currency("CNY");
    aggregate.order.subject = "Two coffees";
    return orders[id] = aggregate;
  }
};

class FakeReader final : public Reader {
 public:
  explicit FakeReader(FakeRows& rows) : rows_(rows) {}

  Result<std::optional<OrderAggregate>> order(OrderId id) override {
    ++rows_.order_reads;
    rows_.before_order();
    return find(rows_.orders, id);
  }
  Result<std::optional<ArchivedOrder>> archived_order(OrderId id) override { return find(rows_.archived_orders, id); }
  Result<std::optional<OrderId>> order_of(ObjectRef child) override {
    if (rows_.broken) return fail("injected read error");
    const auto has = [&](const auto& children) {
      return std::ranges::any_of(children, [&](const auto& row) { return ObjectRef(row.id) == child; });
    };
    std::optional<OrderId> found;
    for (auto& [order_id, aggregate] : rows_.orders)
      for_each_child_type<OrderAggregate>([&](std::string_view, auto member) {
        if (has(aggregate.*member)) found = order_id;
      });
    return found;
  }
  Result<std::optional<MerchantId>> merchant_of(OrderId id) override {
    if (rows_.broken) return fail("injected read error");
    const auto at = rows_.orders.find(id);
    return at == rows_.orders.end() ? std::nullopt : std::optional(at->second.order.merchant_id);
  }
  Result<std::optional<Case>> find_case(CaseId id) override { return find(rows_.cases, id); }
  Result<Listed<Case>> cases(MerchantId merchant, std::optional<CaseState> state, const Page& page) override {
    return list(rows_.cases, page,
                [&](const Case& row) { return row.merchant_id == merchant && (!state || row.state == *state); });
  }
  Result<std::optional<Merchant>> merchant(MerchantId id) override {
    ++rows_.merchant_reads;
    return find(rows_.merchants, id);
  }
  Result<std::optional<ApiKey>> api_key(const Hash16& hash) override {
    ++rows_.key_reads;
    auto found = find(rows_.api_keys, hash);
    rows_.during_key();
    return found;
  }
  Result<std::optional<ChannelAccount>> channel_account(ChannelAccountId id) override {
    return find(rows_.channel_accounts, id);
  }
  Result<std::vector<ChannelAccount>> channel_accounts() override {
    if (rows_.broken) return fail("injected read error");
    std::vector<ChannelAccount> found;
    for (const auto& [id, row] : rows_.channel_accounts) found.insert(found.begin(), row);
    return found;
  }
  Result<std::optional<ChannelRate>> channel_rate(ChannelRateId id) override { return find(rows_.channel_rates, id); }
  Result<std::vector<ChannelRate>> channel_rates() override {
    if (rows_.broken) return fail("injected read error");
    std::vector<ChannelRate> found;
    for (const auto& [id, row] : rows_.channel_rates) found.push_back(row);
    std::ranges::reverse(found);
    return found;
  }
  Result<std::optional<Delivery>> delivery(DeliveryId id) override {
    const Delivery* row = find_row(rows_.deliveries, id);
    return row == nullptr ? std::nullopt : std::optional(*row);
  }
  Result<std::optional<UnknownReceipt>> unknown_receipt(UnknownReceiptId id) override {
    return find(rows_.unknown_receipts, id);
  }
  Result<Listed<UnknownReceipt>> unknown_receipts(std::optional<UnknownReceiptState> state, const Page& page) override {
    return list(rows_.unknown_receipts, page, [&](const UnknownReceipt& row) { return !state || row.state == *state; });
  }
  Result<std::optional<StatementAggregate>> statement(StatementId id) override { return find(rows_.statements, id); }
  Result<Listed<Statement>> statements(const StatementFilter& filter, const Page& page) override {
    std::map<StatementId, Statement> roots;
    for (const auto& [id, aggregate] : rows_.statements) roots.emplace(id, aggregate.statement);
    return list(roots, page, [&](const Statement& row) {
      return (!filter.channel_account_id || row.channel_account_id == *filter.channel_account_id) &&
             (!filter.state || row.state == *filter.state);
    });
  }
  Result<std::optional<Statement>> newest_statement(ChannelAccountId account, StatementKind kind, const std::string&,
                                                    const std::string& date, StatementSource source) override {
    if (rows_.broken) return fail("injected read error");
    std::optional<Statement> newest;
    for (const auto& [id, aggregate] : rows_.statements) {
      const Statement& row = aggregate.statement;
      const bool is_wanted =
          row.channel_account_id == account && row.kind == kind && row.date == date && row.source == source;
      if (is_wanted && (!newest || row.file_version > newest->file_version)) newest = row;
    }
    return newest;
  }
  Result<std::vector<Statement>> due_statements(Time, std::size_t, const DuePlace&) override {
    return fail("not here");
  }
  Result<std::optional<StatementPart>> statement_part(StatementId, std::int64_t) override { return fail("not here"); }
  Result<std::optional<StatementMatch>> match_of_line(MerchantId, const Hash16&) override { return fail("not here"); }
  Result<std::optional<DifferenceAggregate>> difference(DifferenceId id) override {
    return find(rows_.differences, id);
  }
  Result<Listed<Difference>> differences(const DifferenceFilter& filter, const Page& page) override {
    std::map<DifferenceId, Difference> roots;
    for (const auto& [id, aggregate] : rows_.differences) roots.emplace(id, aggregate.difference);
    return list(roots, page, [&](const Difference& row) {
      return (!filter.merchant_id || row.merchant_id == *filter.merchant_id) &&
             (!filter.state || row.state == *filter.state);
    });
  }
  Result<std::vector<Entry>> unmatched_entries(ChannelAccountId, StatementKind, const EntrySpan&,
                                               std::size_t) override {
    return fail("not here");
  }
  Result<std::vector<FundsMatch>> funds_matches(StatementId, std::size_t) override { return fail("not here"); }
  Result<std::vector<Account>> accounts_of_channel_account(ChannelAccountId) override { return fail("not here"); }
  Result<std::int64_t> root_of_posting(MerchantId, ObjectRef) override { return fail("not here"); }
  Result<std::vector<EntrySum>> entry_sums(ChannelAccountId, Time, Time) override { return fail("not here"); }
  Result<std::vector<ChangedOrder>> changed_orders(EventId, EventId, std::size_t) override { return fail("not here"); }
  Result<std::vector<Entry>> order_entries(const Order&) override { return fail("not here"); }
  Result<std::vector<OrderId>> disagreeing_orders(std::size_t) override { return fail("not here"); }
  Result<void> load(const ReadSet&, WorkingSet&) override { return fail("not here"); }
  Result<Listed<OrderAggregate>> orders(MerchantId merchant, const OrderFilter&, const Page& page) override {
    Listed<OrderAggregate> listed;
    for (const auto& [id, aggregate] : rows_.orders)
      if (aggregate.order.merchant_id == merchant) listed.rows.push_back(aggregate);
    std::ranges::reverse(listed.rows);
    return cut(std::move(listed), page);
  }
  Result<Listed<Event>> events(std::int64_t root_id, std::optional<ObjectRef> object, const Page& page,
                               bool oldest_first) override {
    Listed<Event> listed;
    for (const Event& event : rows_.events)
      if (event.root_id == root_id && (!object || *object == ObjectRef(event.object_type, event.object_id)) &&
          (!page.after || (oldest_first ? event.id.value > *page.after : event.id.value < *page.after)))
        listed.rows.push_back(event);
    if (!oldest_first) std::ranges::reverse(listed.rows);
    return cut(std::move(listed), page);
  }
  Result<std::vector<Entry>> journal(EntryId first) override {
    std::vector<Entry> found;
    for (const Entry& entry : rows_.entries)
      if (entry.journal_id == first) found.push_back(entry);
    return found;
  }
  Result<std::optional<Account>> account(AccountId id) override { return find(rows_.accounts, id); }
  Result<Listed<Account>> accounts(MerchantId merchant, const Page& page) override {
    return list(rows_.accounts, page,
                [&](const Account& row) { return row.merchant_id == merchant && row.kind == AccountKind::user; });
  }
  Result<Listed<Entry>> entries(const Account& account, const EntryFilter& filter, const Page& page) override {
    Listed<Entry> listed;
    for (const Entry& row : rows_.entries) {
      const bool within =
          (!filter.from || row.created_at >= *filter.from) && (!filter.to || row.created_at < *filter.to);
      if (row.account_id == account.id && within) listed.rows.push_back(row);
    }
    std::ranges::reverse(listed.rows);
    return cut(std::move(listed), page);
  }
  Result<std::optional<Transfer>> transfer(TransferId id) override { return find(rows_.transfers, id); }
  Result<std::optional<Hold>> hold(HoldId id) override { return find(rows_.holds, id); }
  Result<Listed<Hold>> holds(AccountId account, std::optional<HoldState> state, const Page& page) override {
    return list(rows_.holds, page,
                [&](const Hold& row) { return row.account_id == account && (!state || row.state == *state); });
  }
  Result<std::int64_t> named(const Hash16& key) override {
    const auto at = rows_.keys.find(key);
    return at == rows_.keys.end() ? 0 : at->second;
  }
  Result<std::optional<Price>> price(PriceId id) override { return find(rows_.prices, id); }
  Result<Listed<Price>> prices(MerchantId merchant, const Page& page) override {
    return list(rows_.prices, page, [&](const Price& row) { return row.merchant_id == merchant; });
  }
  Result<std::optional<Adjustment>> adjustment(AdjustmentId id) override { return find(rows_.adjustments, id); }
  Result<Listed<Adjustment>> adjustments(MerchantId merchant, std::optional<AdjustmentState> state,
                                         const Page& page) override {
    return list(rows_.adjustments, page,
                [&](const Adjustment& row) { return row.merchant_id == merchant && (!state || row.state == *state); });
  }
  Result<std::vector<Account>> ledger_accounts(MerchantId merchant) override {
    if (rows_.broken) return fail("injected read error");
    std::vector<Account> found;
    for (const auto& [id, row] : rows_.accounts)
      if (row.merchant_id == merchant && row.kind != AccountKind::user) found.push_back(row);
    return found;
  }
  Result<std::vector<Fee>> fees(MerchantId merchant) override {
    std::vector<Fee> found;
    for (const Fee& row : rows_.fees)
      if (row.merchant_id == merchant) found.push_back(row);
    return found;
  }
  Result<std::vector<WebhookEndpoint>> webhook_endpoints(MerchantId merchant) override {
    std::vector<WebhookEndpoint> found;
    for (const WebhookEndpoint& endpoint : rows_.endpoints)
      if (endpoint.merchant_id == merchant) found.push_back(endpoint);
    return found;
  }
  Result<Listed<Delivery>> deliveries(MerchantId merchant, std::optional<OrderId> order, const Page& page) override {
    Listed<Delivery> listed;
    for (const Delivery& row : rows_.deliveries)
      if (row.merchant_id == merchant && (!order || row.order_id == *order) &&
          (!page.after || row.id.value < *page.after))
        listed.rows.push_back(row);
    std::ranges::reverse(listed.rows);
    return cut(std::move(listed), page);
  }
  Result<std::vector<DueRow>> due(Time, std::size_t, const DueBehind&) override { return std::vector<DueRow>(); }
  Result<void> ping() override {
    if (rows_.broken) return fail("injected read error");
    return {};
  }

 private:
  template <class Map, class Key>
  Result<std::optional<typename Map::mapped_type>> find(const Map& map, const Key& key) {
    if (rows_.broken) return fail("injected read error");
    const auto at = map.find(key);
    return at == map.end() ? std::nullopt : std::optional(at->second);
  }
  template <class Map, class Keep>
  static Listed<typename Map::mapped_type> list(const Map& map, const Page& page, Keep keep) {
    Listed<typename Map::mapped_type> listed;
    for (const auto& [id, row] : map)
      if (keep(row)) listed.rows.push_back(row);
    std::ranges::reverse(listed.rows);
    return cut(std::move(listed), page);
  }
  template <class T>
  static Listed<T> cut(Listed<T> listed, const Page& page) {
    listed.has_more = listed.rows.size() > page.limit;
    if (listed.has_more) listed.rows.resize(page.limit);
    return listed;
  }

  FakeRows& rows_;
};

class FakeStore final : public Store {
 public:
  FakeRows rows;

  std::size_t lanes() const override { return 1; }
  Result<std::unique_ptr<Session>> open_session() override { return fail("the fake store is read-only"); }
  Result<std::unique_ptr<Reader>> open_reader() override { return std::make_unique<FakeReader>(rows); }
  Result<AuditReport> audit(const AuditProgress&) override { return AuditReport{}; }
};

/// Engine that executes nothing: the test takes each request and replies.
class FakeEngine final : public Engine {
 public:
  void submit(Request request) override {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
    arrived_.notify_all();
  }
  void release_unsent(MerchantId, UnsentCall) override {}
  std::size_t queued() const override { return 0; }
  std::optional<StoreFault> store_fault() const override { return fault; }
  const EngineCounts& counts() const override { return counts_; }
  void drain() override {}

  /// Waits for the next request and removes it from the queue.
  Request take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !requests_.empty(); });
    Request request = std::move(requests_.front());
    requests_.erase(requests_.begin());
    return request;
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return requests_.empty();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Request> requests_;
  EngineCounts counts_;

 public:
  std::atomic<std::optional<StoreFault>> fault = std::optional<StoreFault>();
};

}  // namespace finality::query
