// The one way decide changes a delivery's aggregate; see order_writer.h.
#pragma once

#include "decide/open_case.h"
#include "decide/record.h"

namespace finality {

class DeliveryWriter {
 public:
  /// REQUIRES: the delivery was loaded and exists.
  DeliveryWriter(Context& context, DeliveryId id)
      : context_(context), aggregate_(&context.rows.deliveries.change(id)) {}

  Context& context() { return context_; }
  Delivery& delivery() { return aggregate_->delivery; }

  fsm::Cell<DeliveryState> step(DeliveryEvent event) {
    return put(context_, delivery_machine, delivery(), event, true, {}, [this] { return bump(); });
  }
  fsm::Cell<CaseState> step(Case& row, CaseEvent event) {
    return put(context_, case_machine, row, event, true, {}, [this, &row] {
      row.version += 1;
      return bump();
    });
  }
  std::vector<Case>& cases() { return aggregate_->cases; }
  /// As add_case().
  std::pair<Case*, bool> open_case(CaseKind kind) {
    return add_case(context_, aggregate_->cases, bump(), kind, delivery().id);
  }

 private:
  Root bump() {
    if (!bumped_) delivery().version += 1;
    bumped_ = true;
    return {delivery().id, delivery().merchant_id, delivery().version};
  }

  Context& context_;
  DeliveryAggregate* aggregate_;
  bool bumped_ = false;
};

}  // namespace finality
