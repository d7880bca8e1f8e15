// Checks invariant 9, truthful replies. A reply that reports a success, or a refusal because of a state, must match a
// state of the object at some instant between the request and the reply.
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

  /// Checks a reply. `sent_at`: when the request was sent for the first time. `received_at`: when the reply arrived.
  /// Both are simulated times without clock errors.
  void check(const Command& command, const Reply& reply, Time sent_at, Time received_at);

 private:
  Findings& findings_;
  const StateHistory& states_;
  const OrderAuditor& orders_;
  const MoneyAuditor& money_;
  const CaseAuditor& operators_;
};

}  // namespace finality::sim
