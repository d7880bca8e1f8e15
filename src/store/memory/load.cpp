#include "store/memory/load.h"

#include <algorithm>

namespace finality::memory {
namespace {

/// The row, when it exists; loaded unless it is there already.
template <class Stored, class Slots>
const typename Stored::mapped_type* load_one(const Stored& stored, const typename Stored::key_type& key, Slots& slots) {
  const auto* row = find_in(stored, key);
  if (!slots.loaded(key)) slots.load(key, row == nullptr ? std::nullopt : std::optional(*row));
  return row;
}

class Loading {
 public:
  Loading(const Tables& tables, WorkingSet& rows) : tables_(tables), rows_(rows) {}

  void load_named(const Needs& needs) {
    for (const Hash16& hash : needs.order_keys)
      if (const Key* key = load_key(hash)) load_one(tables_.orders, OrderId{key->id}, rows_.orders);
    for (const Hash16& hash : needs.account_keys)
      if (const Key* key = load_key(hash)) load_account(AccountId{key->id});
    for (const Hash16& hash : needs.transfer_keys)
      if (const Key* key = load_key(hash)) load_transfer(TransferId{key->id});
    for (const Hash16& hash : needs.hold_keys)
      if (const Key* key = load_key(hash)) load_hold(HoldId{key->id});
    for (const Hash16& hash : needs.price_keys)
      if (const Key* key = load_key(hash)) load_one(tables_.prices, PriceId{key->id}, rows_.prices);
    for (const Hash16& hash : needs.receipt_keys) load_key(hash);
    for (const Hash16& hash : needs.refund_keys) load_key(hash);
    for (const Hash16& hash : needs.answers) load_one(tables_.answers, hash, rows_.answers);
  }
  void load_by_id(const Needs& needs) {
    for (const AccountId id : needs.accounts) load_account(id);
    for (const TransferId id : needs.transfers) load_transfer(id);
    for (const HoldId id : needs.holds) load_hold(id);
    for (const PaymentId id : needs.payments) load_payment(id);
    for (const OrderId id : needs.orders) load_one(tables_.orders, id, rows_.orders);
    for (const DeliveryId id : needs.deliveries) load_one(tables_.deliveries, id, rows_.deliveries);
    for (const ApiKeyId id : needs.api_keys) load_one(tables_.api_keys, id, rows_.api_keys);
    for (const MerchantId id : needs.merchants) load_merchant(id);
  }

 private:
  const Key* load_key(const Hash16& hash) { return load_one(tables_.keys, hash, rows_.keys); }
  void load_account(AccountId id) { load_one(tables_.accounts, id, rows_.accounts); }
  void load_payment(PaymentId id) {
    const OrderId* order = load_one(tables_.order_of_payment, id, rows_.order_of_payment);
    if (order != nullptr) load_one(tables_.orders, *order, rows_.orders);
  }
  void load_transfer(TransferId id) {
    const Transfer* transfer = load_one(tables_.transfers, id, rows_.transfers);
    if (transfer == nullptr || !transfer->debit_account_id) return;
    load_account(*transfer->debit_account_id);
    load_account(*transfer->credit_account_id);
  }
  void load_hold(HoldId id) {
    const Hold* hold = load_one(tables_.holds, id, rows_.holds);
    if (hold == nullptr) return;
    load_account(hold->account_id);
    load_account(hold->credit_account_id);
  }
  void load_merchant(MerchantId id) {
    load_one(tables_.merchants, id, rows_.merchants);
    if (rows_.endpoints.loaded(id)) return;
    rows_.endpoints.load(id, endpoints_of(tables_, id));
    const auto* fees = find_in(tables_.fees, id);
    rows_.fees.load(id, fees != nullptr ? *fees : std::vector<Fee>{});
  }

  const Tables& tables_;
  WorkingSet& rows_;
};

}  // namespace

void load_needs(const Tables& tables, const Needs& needs, WorkingSet& rows) {
  Loading loading(tables, rows);
  loading.load_named(needs);
  loading.load_by_id(needs);
}

std::vector<WebhookEndpoint> endpoints_of(const Tables& tables, MerchantId merchant) {
  const auto* stored = find_in(tables.endpoints, merchant);
  if (stored == nullptr) return {};
  std::vector<WebhookEndpoint> list;
  std::ranges::copy_if(*stored, std::back_inserter(list),
                       [](const WebhookEndpoint& one) { return one.state != EndpointState::deleted; });
  return list;
}

}  // namespace finality::memory
