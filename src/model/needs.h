// What a command must have before it can be decided. The engine loads the union over a batch.
#pragma once

#include <vector>

#include "base/crypto.h"
#include "model/ids.h"

namespace finality {

struct Needs {
  /// The merchants that all of this belongs to: a store on several shards asks theirs, and all of them where none is
  /// named. What is another merchant's need not be found.
  std::vector<MerchantId> owners;
  std::vector<OrderId> orders;         // the whole aggregate
  std::vector<PaymentId> payments;     // the aggregate of the order they belong to
  std::vector<DeliveryId> deliveries;  // the whole aggregate
  std::vector<AccountId> accounts;
  std::vector<TransferId> transfers;
  std::vector<HoldId> holds;          // with the accounts they name
  std::vector<MerchantId> merchants;  // with their webhook endpoints and fees
  std::vector<ApiKeyId> api_keys;
  std::vector<Hash16> order_keys;     // natural keys; what they name is loaded too
  std::vector<Hash16> account_keys;   // natural keys; what they name is loaded too
  std::vector<Hash16> receipt_keys;   // natural keys
  std::vector<Hash16> refund_keys;    // natural keys
  std::vector<Hash16> transfer_keys;  // natural keys; what they name is loaded too, with its accounts
  std::vector<Hash16> hold_keys;      // natural keys; what they name is loaded too, with its accounts
  std::vector<Hash16> price_keys;     // natural keys; what they name is loaded too
  std::vector<Hash16> answers;        // by idempotency key
};

}  // namespace finality
