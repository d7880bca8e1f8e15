// Checks which exception cases must be open, which must not be open, and the effect of approvals.
#pragma once

#include <map>

#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/state_history.h"

namespace finality::sim {

class CaseAuditor {
 public:
  explicit CaseAuditor(Findings& findings) : findings_(findings) {}

  /// Checks the cases of a commit. `now`: the true time.
  void look_at(const WorkingSet& rows, Time now);

  /// True if a resolution other than `resolution` is proposed, or has been proposed since `since`.
  bool proposed_otherwise(CaseId id, const std::optional<std::string>& resolution, Time since) const;

  /// True if the object of the case could have left, between `from` and `to`, the states in which operators can resolve
  /// the case.
  bool may_have_left_decidable_states(CaseId id, const StateHistory& states, Time from, Time to) const;

 private:
  void check_event(const Event& event, const WorkingSet& rows);
  void check_case(const Case& row);
  void check_order(const std::optional<OrderAggregate>& base, const OrderAggregate& now);
  void check_delivery(const std::optional<DeliveryAggregate>& base, const DeliveryAggregate& now);

  Findings& findings_;
  std::map<CaseId, Case> cases_;  // as committed
  std::map<CaseId, Time> proposed_at_;
};

}  // namespace finality::sim
