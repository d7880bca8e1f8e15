// What has to lie in the exception queue, what must not lie there any more, and what an approval does.
#pragma once

#include <map>

#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/state_history.h"

namespace finality::sim {

class CaseAuditor {
 public:
  explicit CaseAuditor(Findings& findings) : findings_(findings) {}

  /// `now`: the true time.
  void look_at(const WorkingSet& rows, Time now);

  /// Whether, since then, something else was proposed than `resolution`, or is.
  bool proposed_otherwise(CaseId id, const std::optional<std::string>& resolution, Time since) const;

  /// Whether what the case is about was, at some moment between the two, no longer what a person could have decided on.
  bool had_gone_on(CaseId id, const StateHistory& states, Time from, Time to) const;

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
