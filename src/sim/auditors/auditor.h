// The auditor of a simulated world. It was written from the invariants and shares with decide only the row types and
// the transition tables. It receives every commit, every effect and every reply.
#pragma once

#include "sim/auditors/answer_auditor.h"
#include "sim/auditors/case_auditor.h"
#include "sim/auditors/coverage.h"
#include "sim/auditors/end_audit.h"
#include "sim/auditors/evidence_auditor.h"
#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"
#include "sim/auditors/posting_auditor.h"
#include "sim/auditors/reply_auditor.h"
#include "sim/auditors/request_auditor.h"
#include "sim/auditors/settings_auditor.h"
#include "sim/auditors/step_auditor.h"

namespace finality::sim {

class Auditor {
 public:
  /// `mutant` may be empty: the tables are then unchanged. REQUIRES: all three outlive this object.
  Auditor(const Upstream& upstream, const Policy& policy, const std::optional<Mutant>& mutant)
      : upstream_(upstream),
        steps_(findings_, mutant),
        requests_(findings_, policy),
        words_(findings_, states_, orders_, policy) {}

  /// `now`: the true time. `node`: the node number that the session holds.
  void committed(const WorkingSet& rows, Time now, std::int64_t node) {
    for (const Event& event : rows.events) {
      states_.add(event, now);
      requests_.look_at(event);
    }
    steps_.look_at(rows, node);
    orders_.look_at(rows, now);
    money_.look_at(rows);
    documents_.look_at(rows);
    settings_.look_at(rows);
    operators_.look_at(rows, now);
  }
  void asked(const Effect& effect) {
    orders_.look_at(effect);
    if (const auto* call = std::get_if<RefundCall>(&effect)) requests_.look_at(*call);
  }
  void answered(const std::string& key, const Reply& reply, bool awaited) { answers_.hear(key, reply, awaited); }
  /// A client that sent its request first at `asked` receives the reply now.
  void told(const Command& command, const Reply& reply, Time asked, Time now) {
    promises_.hear(command, reply, asked, now);
  }
  /// A result that reached an engine at `from` has been recorded.
  void recorded(const Command& command, Time from, Time now) { words_.recorded(command, from, now); }
  /// A result has been rejected.
  void refused(const Command& command, const Refusal& refusal) { words_.refused(command, refusal); }
  /// An engine has looked up that cell.
  void reached(CellId cell, FaultMask lately, FaultMask ever) { coverage_.add(cell, lately, ever); }
  /// The holder of a lock is about to release it.
  void gives_back(const std::string& token) { money_.gives_back(token); }
  /// A merchant's server has acknowledged the delivery.
  void received(DeliveryId delivery) { received_.insert(delivery); }
  void ended(Reader& reader) {
    audit_end(reader, orders_, money_, upstream_, received_, findings_);
    settings_.ended(reader);
  }

  Findings& findings() { return findings_; }
  const Coverage& coverage() const { return coverage_; }
  const OrderAuditor& orders() const { return orders_; }
  const MoneyAuditor& money() const { return money_; }

 private:
  const Upstream& upstream_;
  Findings findings_;
  Coverage coverage_;
  std::set<DeliveryId> received_;
  StateHistory states_;
  StepAuditor steps_;
  OrderAuditor orders_{findings_, upstream_};
  MoneyAuditor money_{findings_};
  PostingAuditor documents_{findings_};
  SettingsAuditor settings_{findings_};
  CaseAuditor operators_{findings_};
  ReplyAuditor promises_{findings_, states_, orders_, money_, operators_};
  RequestAuditor requests_;
  EvidenceAuditor words_;
  AnswerAuditor answers_{findings_};
};

}  // namespace finality::sim
