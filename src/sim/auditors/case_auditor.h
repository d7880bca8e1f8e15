// Checks that required exception cases are open, that finished cases are not open, and that approvals have an effect.
#pragma once

#include <map>
#include <set>

#include "decide/exception/approve_resolution.h"
#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/state_history.h"

namespace finality::sim {

class CaseAuditor {
 public:
  explicit CaseAuditor(Findings& findings) : findings_(findings) {}

  /// Checks the exception cases of a commit. `now`: the simulated time, without clock errors.
  void look_at(const WorkingSet& rows, Time now);

  /// Returns true if the case has another resolution or merchant than the command, or if any resolution was proposed at
  /// or after `since`.
  bool proposed_otherwise(const ApproveResolution& command, Time since) const;

  /// Returns the last committed row of the case; null before its first commit.
  const Case* find(CaseId id) const {
    const auto at = cases_.find(id);
    return at == cases_.end() ? nullptr : &at->second;
  }

  /// Returns true if the decision of the case made the version after the one that the command names, and by another key
  /// than the proposer's, or if the command names the decided case: then the approval is repeated.
  bool approved_as_reviewed(const ApproveResolution& command) const;

  /// Returns true if the case had another version than the command at a time before now.
  bool has_changed(const ApproveResolution& command) const;

  /// Returns true if, between `from` and `to`, the object of the case may have been in a state in which an approval
  /// must be refused.
  bool may_have_left_decidable_states(CaseId id, const StateHistory& states, Time from, Time to) const;

 private:
  void check_event(const Event& event, const WorkingSet& rows);
  void check_case(const Case& row);
  void check_keys(const Case& row);
  void check_order(const std::optional<OrderAggregate>& base, const OrderAggregate& now);
  void check_delivery(const std::optional<DeliveryAggregate>& base, const DeliveryAggregate& now);

  Findings& findings_;
  std::map<CaseId, Case> cases_;    // last committed rows
  std::map<CaseId, Case> decided_;  // as the commit that decided them left them
  std::map<CaseId, Time> proposed_at_;
  std::set<UnknownReceiptId> contradicted_;  // cannot be assigned
};

}  // namespace finality::sim
