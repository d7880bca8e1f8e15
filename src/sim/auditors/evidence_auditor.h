// Checks the effect of recorded channel results: the object leaves the states that wait for a result, a contradiction
// opens an exception case, and a missing response leaves the result unknown instead of failed.
#pragma once

#include "engine/request.h"
#include "model/policy.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/order_auditor.h"
#include "sim/auditors/state_history.h"

namespace finality::sim {

class EvidenceAuditor {
 public:
  EvidenceAuditor(Findings& findings, const StateHistory& states, const OrderAuditor& orders, const Policy& policy)
      : findings_(findings), states_(states), orders_(orders), policy_(policy) {}

  /// Checks a result that was recorded between `from` and `to`, in simulated time without clock errors. Ignores
  /// commands that record no channel result.
  void recorded(const Command& command, Time from, Time to);
  /// Checks a rejected result: the code of the refusal must not be `illegal_transition`, because results are valid in
  /// every state.
  void refused(const Command& command, const Refusal& refusal);

 private:
  void check(const RecordEvidence& command, Time from, Time to);
  void check(const RecordRefund& command, Time from, Time to);
  void check(const RecordRefundNotice& command, Time from, Time to);
  void check(const RecordAuthorization& command, Time from, Time to);
  void check(const RecordCapture& command, Time from, Time to);
  template <class Row>
  void check(const RecordRefund& command, const OrderAggregate& order, const Row& row, Time from, Time to);
  bool was_in_before(std::int64_t object, std::initializer_list<std::string_view> states, Time from) const;
  void require_case(const OrderAggregate& order, ObjectRef object, std::string_view reported);
  template <class Row>
  void require_return(const OrderAggregate& order, const Row& row, const ReportedReturn& reported);
  void require_settlement(const OrderAggregate& order, const std::optional<ReportedSettlement>& reported);
  void require_total(const OrderAggregate& order, const std::string& channel, const Evidence& evidence);
  template <class Row>
  void require_booked(const OrderAggregate& order, const Row& row, const RecordRefund& command);
  template <class Row>
  void require_note(const OrderAggregate& order, const Row& row, RefundEvidenceKind reported, Time from, Time to);
  template <class Row>
  void require_open_case(const OrderAggregate& order, const Row& row, CaseKind kind, Time from, Time to);
  template <class Row>
  bool is_sent_no_more(const OrderAggregate& order, const Row& row, Time from, Time to);

  Findings& findings_;
  const StateHistory& states_;
  const OrderAuditor& orders_;
  const Policy& policy_;
};

}  // namespace finality::sim
