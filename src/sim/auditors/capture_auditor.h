// Checks captures after every commit, against the records of the simulated channels: their receipts and sums, the
// limits of new captures, their results, and the requests for them.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "model/effect.h"
#include "model/policy.h"
#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/upstream/upstream.h"

namespace finality::sim {

class CaptureAuditor {
 public:
  CaptureAuditor(Findings& findings, const Upstream& upstream, const Policy& policy)
      : findings_(findings), upstream_(upstream), policy_(policy) {}

  void look_at(const WorkingSet& rows);
  /// Checks a request about a capture: its number and amount never change.
  void look_at(const CaptureCall& call);

 private:
  void check_order(const OrderAggregate* before, const OrderAggregate& now);
  void check_receipts(const OrderAggregate& aggregate, const Capture& row);
  void check_sums(const OrderAggregate& aggregate, const Capture& row);
  void check_new(const OrderAggregate* before, const OrderAggregate& now, const Capture& row);
  void check_deadline(const Order& order, const Authorization* before, const Authorization& now, const Capture& row);
  void check_open(const OrderAggregate& aggregate, const Authorization& row);
  void check_refunds(const OrderAggregate& aggregate);
  void check_whole_trade(const OrderAggregate& aggregate, const Refund& refund, const Receipt* receipt);

  Findings& findings_;
  const Upstream& upstream_;
  const Policy& policy_;
  std::map<std::string, std::pair<CaptureId, MinorUnits>> sent_;  // by out_trade_no
  std::map<CaptureId, std::string> numbers_;                      // out_trade_no of the last request
};

}  // namespace finality::sim
