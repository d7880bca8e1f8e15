// The auditor of a simulated world: checks every commit, every effect and every reply against the invariants. It was
// written from the invariants and shares with src/decide/ only the row types and the transition tables.
#pragma once

#include "sim/auditors/case_auditor.h"
#include "sim/auditors/coverage.h"
#include "sim/auditors/end_audit.h"
#include "sim/auditors/evidence_auditor.h"
#include "sim/auditors/idempotency_auditor.h"
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
        orders_(findings_, upstream, policy),
        requests_(findings_, policy),
        evidence_(findings_, states_, orders_, policy) {}

  /// A session has committed `rows`. `now`: the true time. `node`: the node number that the session holds.
  void committed(const WorkingSet& rows, Time now, std::int64_t node) {
    for (const Event& event : rows.events) {
      states_.add(event, now);
      requests_.look_at(event);
    }
    steps_.look_at(rows, node);
    orders_.look_at(rows, now);
    money_.look_at(rows);
    postings_.look_at(rows);
    settings_.look_at(rows);
    cases_.look_at(rows, now);
  }
  void requested(const Effect& effect) {
    orders_.look_at(effect);
    if (const auto* call = std::get_if<RefundCall>(&effect)) requests_.look_at(*call);
  }
  void check_repetition(const std::string& key, const Reply& reply, bool awaited) {
    idempotency_.check(key, reply, awaited);
  }
  /// A client that sent its request first at `sent_at` receives the reply now.
  void check_reply(const Command& command, const Reply& reply, Time sent_at, Time now) {
    replies_.check(command, reply, sent_at, now);
  }
  /// A channel's result that reached an engine at `from` has been recorded.
  void recorded(const Command& command, Time from, Time now) { evidence_.recorded(command, from, now); }
  /// The engine has rejected a channel's result.
  void refused(const Command& command, const Refusal& refusal) { evidence_.refused(command, refusal); }
  /// An engine has looked up that cell of a state machine. `lately`, `ever`: see Coverage::add.
  void reached(CellId cell, FaultMask lately, FaultMask ever) { coverage_.add(cell, lately, ever); }
  /// The holder of a lock is about to release it.
  void expect_lock_release(const std::string& token) { money_.expect_lock_release(token); }
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
  OrderAuditor orders_;
  MoneyAuditor money_{findings_};
  PostingAuditor postings_{findings_};
  SettingsAuditor settings_{findings_};
  CaseAuditor cases_{findings_};
  ReplyAuditor replies_{findings_, states_, orders_, money_, cases_};
  RequestAuditor requests_;
  EvidenceAuditor evidence_;
  IdempotencyAuditor idempotency_{findings_};
};

}  // namespace finality::sim
