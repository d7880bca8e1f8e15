// A merchant of a simulated world, and what its scripts share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/world/client.h"
#include "store/store.h"

namespace finality::sim {

struct Shop {
  SimScheduler& scheduler;
  Client& client;
  Auditor& auditor;
  Reader& reader;
  MerchantId merchant;
  Currency currency;
  std::vector<AccountId> accounts;  // the first may go below zero: money comes from there
  std::vector<WebhookEndpointId> endpoints;
  std::optional<CreateRefund> refunded = {};  // the last refund that was made, of whichever order

  AccountId any_user() const {
    return accounts[static_cast<std::size_t>(
        scheduler.random().between(1, static_cast<std::int64_t>(accounts.size()) - 1))];
  }
  /// A key for most requests; some come without one.
  std::string key() { return scheduler.random().chance(750) ? client.number("key") : std::string(); }
};

/// Begins one order: it is made, paid, closed, paid again, refunded, as chance wants it.
void begin_order(Shop& shop);
/// Begins something on the accounts: a transfer, a hold, a lock, a freeze.
void begin_account_work(Shop& shop);
/// Begins something on the merchant's settings and deliveries.
void begin_settings(Shop& shop);

}  // namespace finality::sim
