// The auditor of a simulated world: written from the invariants (failures.md), it shares with decide only the rows and
// the machines' tables. It is shown every commit, every effect and every answer.
#pragma once

#include "sim/answer_auditor.h"
#include "sim/coverage.h"
#include "sim/end_audit.h"
#include "sim/money_auditor.h"
#include "sim/order_auditor.h"
#include "sim/step_auditor.h"

namespace finality::sim {

class Auditor {
 public:
  explicit Auditor(const Upstream& upstream) : upstream_(upstream) {}

  void committed(const WorkingSet& rows) {
    steps_.look_at(rows);
    orders_.look_at(rows);
    money_.look_at(rows);
    for (const Event& event : rows.events) coverage_.add(event);
  }
  void asked(const Effect& effect) { orders_.look_at(effect); }
  void answered(const std::string& key, const Reply& reply, bool awaited) { answers_.hear(key, reply, awaited); }
  /// A word of the channel was recorded, and the row's state stayed what it was.
  void heard_in_vain(ObjectType type, std::string_view state, std::string_view event) {
    coverage_.add_silent(type, state, event);
  }
  /// A merchant's server has said yes to the delivery.
  void received(DeliveryId delivery) { received_.insert(delivery); }
  void ended(Reader& reader) { audit_end(reader, orders_, money_, upstream_, received_, findings_); }

  Findings& findings() { return findings_; }
  const Coverage& coverage() const { return coverage_; }
  const OrderAuditor& orders() const { return orders_; }

 private:
  const Upstream& upstream_;
  Findings findings_;
  Coverage coverage_;
  std::set<DeliveryId> received_;
  StepAuditor steps_{findings_};
  OrderAuditor orders_{findings_, upstream_};
  MoneyAuditor money_{findings_};
  AnswerAuditor answers_{findings_};
};

}  // namespace finality::sim
