// What has to lie on the exception desk, what must not lie there any more, and what an approval does.
#pragma once

#include <map>

#include "model/working_set.h"
#include "sim/findings.h"

namespace finality::sim {

class DeskAuditor {
 public:
  explicit DeskAuditor(Findings& findings) : findings_(findings) {}

  void look_at(const WorkingSet& rows);

  /// What was proposed last, empty when nothing was.
  std::optional<std::string> proposal(CaseId id) const;

 private:
  void check_event(const Event& event, const WorkingSet& rows);
  void check_case(const Case& row);
  void check_order(const std::optional<OrderAggregate>& base, const OrderAggregate& now);
  void check_delivery(const std::optional<DeliveryAggregate>& base, const DeliveryAggregate& now);

  Findings& findings_;
  std::map<CaseId, Case> cases_;  // as committed
};

}  // namespace finality::sim
