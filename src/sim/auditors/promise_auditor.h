// Invariant 9, what an answer means: whoever is told that something was done, or refused because of a state, was told
// the truth of some moment between asking and hearing.
#pragma once

#include "engine/request.h"
#include "sim/auditors/desk_auditor.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/lives.h"
#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"

namespace finality::sim {

class PromiseAuditor {
 public:
  PromiseAuditor(Findings& findings, const Lives& lives, const OrderAuditor& orders, const MoneyAuditor& money,
                 const DeskAuditor& desk)
      : findings_(findings), lives_(lives), orders_(orders), money_(money), desk_(desk) {}

  /// `asked`: when the request was first sent; `heard`: now. Both by the true time.
  void hear(const Command& command, const Reply& reply, Time asked, Time heard);

 private:
  Findings& findings_;
  const Lives& lives_;
  const OrderAuditor& orders_;
  const MoneyAuditor& money_;
  const DeskAuditor& desk_;
};

}  // namespace finality::sim
