// Invariant 9, what an answer means: whoever is told that something was done, or refused because of a state, was told
// the truth of some moment between asking and hearing.
#pragma once

#include "engine/request.h"
#include "sim/auditors/case_auditor.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"
#include "sim/auditors/state_history.h"

namespace finality::sim {

class ReplyAuditor {
 public:
  ReplyAuditor(Findings& findings, const StateHistory& states, const OrderAuditor& orders, const MoneyAuditor& money,
               const CaseAuditor& operators)
      : findings_(findings), states_(states), orders_(orders), money_(money), operators_(operators) {}

  /// `asked`: when the request was first sent; `heard`: now. Both by the true time.
  void hear(const Command& command, const Reply& reply, Time asked, Time heard);

 private:
  Findings& findings_;
  const StateHistory& states_;
  const OrderAuditor& orders_;
  const MoneyAuditor& money_;
  const CaseAuditor& operators_;
};

}  // namespace finality::sim
