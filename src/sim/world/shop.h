// A simulated merchant, and the state shared by its random requests.
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
  const Policy& policy;
  MerchantId merchant;
  Currency currency;
  std::vector<AccountId> accounts;  // the first account has an overdraft and pays the others
  std::vector<WebhookEndpointId> endpoints;
  std::optional<CreateRefund> refunded = {};   // the merchant's last created refund
  std::optional<CreateCapture> captured = {};  // the merchant's last created capture
  int manual_share = 0;                        // orders with manual capture, in per mille

  AccountId any_user() const {
    return accounts[static_cast<std::size_t>(
        scheduler.random().between(1, static_cast<std::int64_t>(accounts.size()) - 1))];
  }
  /// Returns a new Idempotency-Key, or an empty text in 25 % of the calls: the request then has no key.
  std::string key() { return scheduler.random().chance(750) ? client.number("key") : std::string(); }
};

/// Starts the requests for one order: creates the order, then pays or authorizes, captures, releases, queries, closes
/// and refunds it at random.
void begin_order(Shop& shop);
/// Starts a random operation on accounts: a transfer, a hold, a lock, a freeze or a closing.
void begin_account_work(Shop& shop);
/// Starts an adjustment of the merchant's books: operators propose it, then approve or reject it, some several times.
void begin_adjustment(Shop& shop);
/// Starts a random change of the merchant's settings, or a redelivery of webhooks.
void begin_settings(Shop& shop);

}  // namespace finality::sim
