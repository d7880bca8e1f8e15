// Checks invariant 1 for settings and adjustments: stored merchants, prices, fees, webhook endpoints and adjustments
// equal their last commit.
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
  /// Compares the store with the commits. Called once, at the end of the simulation run.
  void ended(Reader& reader);

 private:
  template <class Row>
  void check_stored(const Row& committed, const Row* stored);
  template <class Row>
  void check_single(const Row& committed, const Result<std::optional<Row>>& stored);
  template <class Row>
  void check_listed(const Row& committed, const Result<std::vector<Row>>& stored);

  Findings& findings_;
  std::map<MerchantId, Merchant> merchants_;  // last committed rows, as in the maps below
  std::map<PriceId, Price> prices_;
  std::map<FeeId, Fee> fees_;
  std::map<AdjustmentId, Adjustment> adjustments_;
  std::map<WebhookEndpointId, WebhookEndpoint> endpoints_;
};

}  // namespace finality::sim
