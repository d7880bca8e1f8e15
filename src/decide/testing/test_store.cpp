#include "decide/testing/test_store.h"

#include <utility>

namespace finality::test {
namespace {

template <class Map, class Slots>
const typename Map::mapped_type* load_one(const Map& map, const typename Map::key_type& key, Slots& slots) {
  const auto at = map.find(key);
  const typename Map::mapped_type* row = at == map.end() ? nullptr : &at->second;
  if (!slots.loaded(key)) slots.load(key, row == nullptr ? std::nullopt : std::optional(*row));
  return row;
}
template <class Slots, class Map>
void keep_all(const Slots& slots, Map& map) {
  slots.each([&](const auto& key, const auto&, const auto& now) {
    if (now) map.insert_or_assign(key, *now);
  });
}

}  // namespace

TestStore::TestStore() = default;
TestStore::TestStore(const TestStore&) = default;
TestStore::~TestStore() = default;

void TestStore::load(const ReadSet& reads, WorkingSet& rows) const {
  ReadSet named;
  for (const KeyRead& read : reads.keys)
    if (const Key* key = load_one(keys, read.hash, rows.keys); key != nullptr && read.follow)
      add_id(named, {*read.follow, key->id});
  load_ids(named, rows);
  load_ids(reads, rows);
}

void TestStore::load_ids(const ReadSet& reads, WorkingSet& rows) const {
  for (const AccountId id : reads.accounts) load_one(accounts, id, rows.accounts);
  for (const TransferId id : reads.transfers) load_transfer(id, rows);
  for (const HoldId id : reads.holds) load_hold(id, rows);
  for (const PriceId id : reads.prices) load_one(prices, id, rows.prices);
  for (const AdjustmentId id : reads.adjustments) load_one(adjustments, id, rows.adjustments);
  for (const PaymentId id : reads.payments) load_payment(id, rows);
  for (const OrderId id : reads.orders) load_one(orders, id, rows.orders);
  for (const DeliveryId id : reads.deliveries) load_one(deliveries, id, rows.deliveries);
  for (const UnknownReceiptId id : reads.unknown_receipts) load_one(unknown_receipts, id, rows.unknown_receipts);
  for (const StatementId id : reads.statements) load_one(statements, id, rows.statements);
  for (const DifferenceId id : reads.differences) load_one(differences, id, rows.differences);
  for (const std::int64_t document : reads.statement_matches)
    load_one(statement_matches, document, rows.statement_matches);
  for (const std::int64_t document : reads.funds_matches) load_one(funds_matches, document, rows.funds_matches);
  for (const ApiKeyId id : reads.api_keys) load_one(api_keys, id, rows.api_keys);
  for (const ChannelAccountId id : reads.channel_accounts) load_one(channel_accounts, id, rows.channel_accounts);
  for (const ChannelRateId id : reads.channel_rates) load_one(channel_rates, id, rows.channel_rates);
  for (const IdentityCheckId id : reads.identity_checks) load_one(identity_checks, id, rows.identity_checks);
  for (const Hash16& hash : reads.idempotency_records) load_one(idempotency_records, hash, rows.idempotency_records);
  for (const MerchantId id : reads.merchants) load_merchant(id, rows);
}

void TestStore::keep(const WorkingSet& rows) {
  keep_all(rows.orders, orders);
  keep_all(rows.deliveries, deliveries);
  keep_all(rows.unknown_receipts, unknown_receipts);
  keep_all(rows.statements, statements);
  keep_all(rows.differences, differences);
  keep_all(rows.statement_matches, statement_matches);
  keep_all(rows.funds_matches, funds_matches);
  statement_parts.insert(statement_parts.end(), rows.statement_parts.begin(), rows.statement_parts.end());
  keep_all(rows.accounts, accounts);
  keep_all(rows.transfers, transfers);
  keep_all(rows.holds, holds);
  keep_all(rows.prices, prices);
  keep_all(rows.adjustments, adjustments);
  keep_all(rows.fees, fees);
  keep_all(rows.merchants, merchants);
  keep_all(rows.api_keys, api_keys);
  keep_all(rows.channel_accounts, channel_accounts);
  keep_all(rows.channel_rates, channel_rates);
  keep_all(rows.identity_checks, identity_checks);
  keep_all(rows.endpoints, endpoints);
  keep_all(rows.keys, keys);
  keep_all(rows.idempotency_records, idempotency_records);
  events.insert(events.end(), rows.events.begin(), rows.events.end());
  entries.insert(entries.end(), rows.entries.begin(), rows.entries.end());
}

const OrderAggregate* TestStore::order_of(PaymentId id) const {
  for (const auto& [order_id, aggregate] : orders)
    if (find_row(aggregate.payments, id) != nullptr) return &aggregate;
  return nullptr;
}

void TestStore::load_payment(PaymentId id, WorkingSet& rows) const {
  if (rows.order_of_payment.loaded(id)) return;
  const OrderAggregate* aggregate = order_of(id);
  rows.order_of_payment.load(id, aggregate == nullptr ? std::nullopt : std::optional(aggregate->order.id));
  if (aggregate != nullptr) load_one(orders, aggregate->order.id, rows.orders);
}

void TestStore::load_transfer(TransferId id, WorkingSet& rows) const {
  const Transfer* transfer = load_one(transfers, id, rows.transfers);
  if (transfer == nullptr || !transfer->debit_account_id) return;
  load_one(accounts, *transfer->debit_account_id, rows.accounts);
  load_one(accounts, *transfer->credit_account_id, rows.accounts);
}

void TestStore::load_hold(HoldId id, WorkingSet& rows) const {
  const Hold* hold = load_one(holds, id, rows.holds);
  if (hold == nullptr) return;
  load_one(accounts, hold->account_id, rows.accounts);
  load_one(accounts, hold->credit_account_id, rows.accounts);
}

void TestStore::load_merchant(MerchantId id, WorkingSet& rows) const {
  load_one(merchants, id, rows.merchants);
  const auto known = fees.find(id);
  if (!rows.fees.loaded(id)) rows.fees.load(id, known == fees.end() ? std::vector<Fee>{} : known->second);
  if (rows.endpoints.loaded(id)) return;
  const auto at = endpoints.find(id);
  std::vector<WebhookEndpoint> list = at == endpoints.end() ? std::vector<WebhookEndpoint>{} : at->second;
  std::erase_if(list, [](const WebhookEndpoint& one) { return one.state == EndpointState::deleted; });
  rows.endpoints.load(id, std::move(list));
}

}  // namespace finality::test
