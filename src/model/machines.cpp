#include "model/machines.h"

#include "fsm/check.h"
#include "model/account.h"
#include "model/case.h"
#include "model/delivery.h"
#include "model/hold.h"
#include "model/order.h"
#include "model/payment.h"
#include "model/refund.h"
#include "model/reversal.h"
#include "model/transfer.h"

namespace finality {

FINALITY_CHECK_MACHINE(order_machine);
FINALITY_CHECK_MACHINE(payment_machine);
FINALITY_CHECK_MACHINE(refund_machine);
FINALITY_CHECK_MACHINE(reversal_machine);
FINALITY_CHECK_MACHINE(delivery_machine);
FINALITY_CHECK_MACHINE(case_machine);
FINALITY_CHECK_MACHINE(account_machine);
FINALITY_CHECK_MACHINE(transfer_machine);
FINALITY_CHECK_MACHINE(hold_machine);

const std::vector<fsm::View>& all_machines() {
  static const std::vector<fsm::View> machines = {
      fsm::view_of(order_machine),    fsm::view_of(payment_machine),  fsm::view_of(refund_machine),
      fsm::view_of(reversal_machine), fsm::view_of(delivery_machine), fsm::view_of(case_machine),
      fsm::view_of(account_machine),  fsm::view_of(transfer_machine), fsm::view_of(hold_machine)};
  return machines;
}

}  // namespace finality
