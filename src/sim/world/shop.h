// A merchant of a simulated world, and the state shared by its scripts.
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
  std::vector<AccountId> accounts;  // the first has an overdraft: it is the source of all money
  std::vector<WebhookEndpointId> endpoints;
  std::optional<CreateRefund> refunded = {};  // the last created refund of any order

  AccountId any_user() const {
    return accounts[static_cast<std::size_t>(
        scheduler.random().between(1, static_cast<std::int64_t>(accounts.size()) - 1))];
  }
  /// Returns a new key for most requests; some have none.
  std::string key() { return scheduler.random().chance(750) ? client.number("key") : std::string(); }
};

/// Starts the script of one order: the order is created, then paid, closed, paid again or refunded at random.
void begin_order(Shop& shop);
/// Starts an operation on the accounts: a transfer, a hold, a lock or a freeze.
void begin_account_work(Shop& shop);
/// Starts an operation on the merchant's settings and deliveries.
void begin_settings(Shop& shop);

}  // namespace finality::sim
