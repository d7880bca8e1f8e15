// In-memory store for tests: loads the rows of a read set from maps and writes changed rows back. A command that reads
// a row outside its read set stops the program, as in production.
#pragma once

#include <map>
#include <vector>

#include "model/read_set.h"
#include "model/working_set.h"

namespace finality::test {

/// Maps of the stored rows, keyed by id. Not thread safe.
class TestStore {
 public:
  std::map<OrderId, OrderAggregate> orders;
  std::map<DeliveryId, DeliveryAggregate> deliveries;
  std::map<UnknownReceiptId, UnknownReceiptAggregate> unknown_receipts;
  std::map<StatementId, StatementAggregate> statements;
  std::map<DifferenceId, DifferenceAggregate> differences;
  std::map<std::int64_t, StatementMatch> statement_matches;
  std::map<std::int64_t, FundsMatch> funds_matches;
  std::vector<StatementPart> statement_parts;
  std::map<AccountId, Account> accounts;
  std::map<TransferId, Transfer> transfers;
  std::map<HoldId, Hold> holds;
  std::map<PriceId, Price> prices;
  std::map<AdjustmentId, Adjustment> adjustments;
  std::map<MerchantId, std::vector<Fee>> fees;
  std::map<MerchantId, Merchant> merchants;
  std::map<ApiKeyId, ApiKey> api_keys;
  std::map<ChannelAccountId, ChannelAccount> channel_accounts;
  std::map<ChannelRateId, ChannelRate> channel_rates;
  std::map<IdentityCheckId, IdentityCheck> identity_checks;
  std::map<MerchantId, std::vector<WebhookEndpoint>> endpoints;
  std::map<Hash16, Key> keys;
  std::map<Hash16, IdempotencyRecord> idempotency_records;
  std::vector<Event> events;
  std::vector<Entry> entries;

  TestStore();
  TestStore(const TestStore&);
  ~TestStore();

  void load(const ReadSet& reads, WorkingSet& rows) const;
  void keep(const WorkingSet& rows);
  /// Returns the order that contains the payment, or null. Valid until the order is removed.
  const OrderAggregate* order_of(PaymentId id) const;

 private:
  void load_ids(const ReadSet& reads, WorkingSet& rows) const;
  void load_payment(PaymentId id, WorkingSet& rows) const;
  void load_transfer(TransferId id, WorkingSet& rows) const;
  void load_hold(HoldId id, WorkingSet& rows) const;
  void load_merchant(MerchantId id, WorkingSet& rows) const;
};

}  // namespace finality::test
