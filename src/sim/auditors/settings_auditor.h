// Invariant 1 for settings: merchants, prices, fees and webhook endpoints are stored as the last commit left them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "store/store.h"

namespace finality::sim {

class SettingsAuditor {
 public:
  explicit SettingsAuditor(Findings& findings) : findings_(findings) {}

  void look_at(const WorkingSet& rows);
  /// Compares the store with what was committed. Called once, at the end of the world.
  void ended(Reader& reader);

 private:
  template <class Row>
  void check_stored(const Row& known, const Row* stored);
  template <class Row>
  void check_one(const Row& known, const Result<std::optional<Row>>& stored);
  template <class Row>
  void check_listed(const Row& known, const Result<std::vector<Row>>& stored);

  Findings& findings_;
  std::map<MerchantId, Merchant> merchants_;  // all as committed
  std::map<PriceId, Price> prices_;
  std::map<FeeId, Fee> fees_;
  std::map<WebhookEndpointId, WebhookEndpoint> endpoints_;
};

}  // namespace finality::sim
