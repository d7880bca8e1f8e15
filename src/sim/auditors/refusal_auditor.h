// Checks invariant 10 for refusals: what the channel has refused only temporarily, however often, does not end. A
// refund or capture fails, and a reversal or release is blocked, only after a permanent refusal by the channel.
#pragma once

#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/upstream/upstream.h"

namespace finality::sim {

class RefusalAuditor {
 public:
  RefusalAuditor(Findings& findings, const Upstream& upstream) : findings_(findings), upstream_(upstream) {}

  /// Checks the orders that a commit changes.
  void look_at(const WorkingSet& rows);

 private:
  void check(const OrderAggregate& aggregate, const Refund& row);
  void check(const OrderAggregate& aggregate, const Reversal& row);
  void check(const OrderAggregate& aggregate, const Capture& row);
  void check(const OrderAggregate& aggregate, const Case& row);
  bool is_paid_out(const Refund& row) const;
  template <class Row>
  bool has_reported(const OrderAggregate& aggregate, const Row& row, RefundEvidenceKind kind) const;

  Findings& findings_;
  const Upstream& upstream_;
};

}  // namespace finality::sim
