#include "store/memory/load.h"

#include <algorithm>

namespace finality::memory {
namespace {

class Loading {
 public:
  Loading(const Tables& tables, WorkingSet& rows) : tables_(tables), rows_(rows) {}

  void load(const ReadSet& reads) {
    ReadSet named;
    for (const KeyRead& read : reads.keys)
      if (const Key* key = load_row<Key>(read.hash); key != nullptr && read.follow)
        add_id(named, {*read.follow, key->id});
    for (const PaymentId id : reads.payments) load_payment(id);
    for (const Hash16& hash : reads.idempotency_records) load_row<IdempotencyRecord>(hash);
    load_ids(named);
    load_ids(reads);
  }

 private:
  /// Loads the value into the working set, unless it is loaded already. Returns the stored value; null if absent.
  template <class T, class AKey>
  const T* load_row(const AKey& key) {
    const T* value = find_in(tables_.of<T>(), key);
    auto& slots = map_of<T>(rows_);
    if (!slots.loaded(key)) slots.load(key, value == nullptr ? std::nullopt : std::optional(as_read(*value)));
    return value;
  }
  /// Returns the value as a database loads it: without children of a type whose presence bit is not set in the root.
  template <class T>
  static T as_read(const T& value) {
    T read = value;
    if constexpr (Aggregate<T>)
      for_each_child_type<T>([&](std::string_view, auto member) {
        if (!has_children<ChildRow<decltype(member)>>(root_of(read))) (read.*member).clear();
      });
    return read;
  }
  void load_ids(const ReadSet& reads) {
    for (const OrderId id : reads.orders) load_row<OrderAggregate>(id);
    for (const DeliveryId id : reads.deliveries) load_row<DeliveryAggregate>(id);
    for (const UnknownReceiptId id : reads.unknown_receipts) load_row<UnknownReceiptAggregate>(id);
    for (const StatementId id : reads.statements) load_row<StatementAggregate>(id);
    for (const DifferenceId id : reads.differences) load_row<DifferenceAggregate>(id);
    for (const std::int64_t document : reads.statement_matches) load_row<StatementMatch>(document);
    for (const std::int64_t document : reads.funds_matches) load_row<FundsMatch>(document);
    for (const AccountId id : reads.accounts) load_row<Account>(id);
    for (const TransferId id : reads.transfers) load_transfer(id);
    for (const HoldId id : reads.holds) load_hold(id);
    for (const PriceId id : reads.prices) load_row<Price>(id);
    for (const AdjustmentId id : reads.adjustments) load_row<Adjustment>(id);
    for (const ApiKeyId id : reads.api_keys) load_row<ApiKey>(id);
    for (const ChannelAccountId id : reads.channel_accounts) load_row<ChannelAccount>(id);
    for (const ChannelRateId id : reads.channel_rates) load_row<ChannelRate>(id);
    for (const IdentityCheckId id : reads.identity_checks) load_row<IdentityCheck>(id);
    for (const MerchantId id : reads.merchants) load_merchant(id);
  }
  void load_payment(PaymentId id) {
    const auto order = tables_.root_of<OrderId>(id);
    if (!rows_.order_of_payment.loaded(id))
      rows_.order_of_payment.load(id, order ? std::optional(order) : std::nullopt);
    if (order) load_row<OrderAggregate>(order);
  }
  void load_transfer(TransferId id) {
    const Transfer* transfer = load_row<Transfer>(id);
    if (transfer == nullptr || !transfer->debit_account_id) return;
    load_row<Account>(*transfer->debit_account_id);
    load_row<Account>(*transfer->credit_account_id);
  }
  void load_hold(HoldId id) {
    const Hold* hold = load_row<Hold>(id);
    if (hold == nullptr) return;
    load_row<Account>(hold->account_id);
    load_row<Account>(hold->credit_account_id);
  }
  void load_merchant(MerchantId id) {
    load_row<Merchant>(id);
    if (rows_.endpoints.loaded(id)) return;
    rows_.endpoints.load(id, endpoints_of(tables_, id));
    rows_.fees.load(id, fees_of(tables_, id));
  }

  const Tables& tables_;
  WorkingSet& rows_;
};

}  // namespace

void load_needs(const Tables& tables, const ReadSet& reads, WorkingSet& rows) { Loading(tables, rows).load(reads); }

std::vector<WebhookEndpoint> endpoints_of(const Tables& tables, MerchantId merchant) {
  const auto* stored = find_in(tables.of<std::vector<WebhookEndpoint>>(), merchant);
  if (stored == nullptr) return {};
  std::vector<WebhookEndpoint> list;
  std::ranges::copy_if(*stored, std::back_inserter(list),
                       [](const WebhookEndpoint& one) { return one.state != EndpointState::deleted; });
  return list;
}

std::vector<Fee> fees_of(const Tables& tables, MerchantId merchant) {
  const auto* stored = find_in(tables.of<std::vector<Fee>>(), merchant);
  return stored == nullptr ? std::vector<Fee>() : *stored;
}

}  // namespace finality::memory
