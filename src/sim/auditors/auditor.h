// Auditor of a simulation run: checks every commit, every effect and every reply against the invariants. The auditor is
// independent of the decision code: it shares with src/decide/ only the row types and the transition tables.
#pragma once

#include "sim/auditors/authorization_auditor.h"
#include "sim/auditors/capture_auditor.h"
#include "sim/auditors/case_auditor.h"
#include "sim/auditors/coverage.h"
#include "sim/auditors/end_audit.h"
#include "sim/auditors/evidence_auditor.h"
#include "sim/auditors/idempotency_auditor.h"
#include "sim/auditors/money_auditor.h"
#include "sim/auditors/order_auditor.h"
#include "sim/auditors/posting_auditor.h"
#include "sim/auditors/refusal_auditor.h"
#include "sim/auditors/reply_auditor.h"
#include "sim/auditors/request_auditor.h"
#include "sim/auditors/settings_auditor.h"
#include "sim/auditors/statements/statement_auditor.h"
#include "sim/auditors/step_auditor.h"
#include "sim/auditors/storage_auditor.h"
#include "sim/auditors/unknown_receipt_auditor.h"

namespace finality::sim {

class Auditor {
 public:
  /// `mutant`: the changed cell of the transition tables that the engines use; empty if the tables are unchanged.
  /// REQUIRES: all three arguments outlive this object.
  Auditor(const Upstream& upstream, const Policy& policy, const std::optional<Mutant>& mutant)
      : upstream_(upstream),
        steps_(findings_, mutant),
        orders_(findings_, upstream, policy),
        authorizations_(findings_, upstream, policy),
        captures_(findings_, upstream, policy),
        refusals_(findings_, upstream),
        requests_(findings_, policy),
        evidence_(findings_, states_, orders_, policy),
        statements_(findings_, upstream, orders_, policy) {}

  /// Checks a commit. `now`: the simulated time, without the clock error of the engine. `node`: the node number of the
  /// committing session.
  void committed(const WorkingSet& rows, Time now, std::int64_t node) {
    for (const Event& event : rows.events) {
      states_.add(event, now);
      requests_.look_at(event);
    }
    steps_.look_at(rows, now, node);
    orders_.look_at(rows, now);
    authorizations_.look_at(rows, now);
    captures_.look_at(rows);
    refusals_.look_at(rows);
    money_.look_at(rows);
    postings_.look_at(rows);
    settings_.look_at(rows);
    cases_.look_at(rows, now);
    unknown_receipts_.look_at(rows);
    statements_.look_at(rows, now);
  }
  void requested(const Effect& effect) {
    orders_.look_at(effect);
    if (const auto* call = std::get_if<RefundCall>(&effect)) requests_.look_at(*call);
    if (const auto* call = std::get_if<CaptureCall>(&effect)) captures_.look_at(*call);
    const auto* call = std::get_if<AuthorizationCall>(&effect);
    if (call != nullptr && orders_.orders().contains(call->order.id))
      authorizations_.look_at(*call, orders_.orders().at(call->order.id));
  }
  void check_repetition(const std::string& key, const Reply& reply, bool awaited) {
    idempotency_.check(key, reply, awaited);
  }
  /// Checks a reply that a client receives at `now`. `sent_at`: when the client sent the request for the first time.
  void check_reply(const Command& command, const Reply& reply, Time sent_at, Time now) {
    replies_.check(command, reply, sent_at, now);
  }
  /// Checks a channel's result that was submitted to an engine at `from` and is recorded at `now`.
  void recorded(const Command& command, Time from, Time now) { evidence_.recorded(command, from, now); }
  /// Checks a channel's result that the engine has rejected.
  void refused(const Command& command, const Refusal& refusal) { evidence_.refused(command, refusal); }
  // store_failed() and part_failed() record a failure of the whole store, or of the part with the merchant's rows.
  // refused_by_store() checks a refusal because of such a failure.
  void store_failed(Time now) { storage_.store_failed(now); }
  void part_failed(MerchantId merchant, Time now) { storage_.part_failed(merchant, now); }
  void refused_by_store(const Request& request, Time now) { storage_.refused(request, now); }
  /// Records that the clock of an engine is wrong from now on.
  void clocks_differ() { authorizations_.clocks_differ(); }
  /// Counts the lookup of a cell of a transition table by an engine. `lately`, `ever`: see Coverage::add.
  void reached(CellId cell, FaultMask lately, FaultMask ever) { coverage_.add(cell, lately, ever); }
  /// Announces that a client will release the lock with this token.
  void expect_lock_release(const std::string& token) { money_.expect_lock_release(token); }
  /// Records that an engine has acknowledged the report of a payment of an unknown number.
  void acknowledged_unknown(const std::string& channel, const std::string& trade_no) {
    unknown_receipts_.acknowledged(channel, trade_no);
  }
  /// Records that a merchant's server has acknowledged the delivery.
  void received(DeliveryId delivery) { received_.insert(delivery); }
  void ended(Reader& reader, const StatementBook& book) {
    audit_end(reader, orders_, money_, upstream_, received_, findings_);
    settings_.ended(reader);
    unknown_receipts_.ended(reader);
    statements_.ended(reader, book);
  }

  Findings& findings() { return findings_; }
  const Coverage& coverage() const { return coverage_; }
  const OrderAuditor& orders() const { return orders_; }
  const MoneyAuditor& money() const { return money_; }
  const CaseAuditor& cases() const { return cases_; }

 private:
  const Upstream& upstream_;
  Findings findings_;
  Coverage coverage_;
  std::set<DeliveryId> received_;
  StateHistory states_;
  StepAuditor steps_;
  OrderAuditor orders_;
  AuthorizationAuditor authorizations_;
  CaptureAuditor captures_;
  RefusalAuditor refusals_;
  MoneyAuditor money_{findings_};
  PostingAuditor postings_{findings_};
  SettingsAuditor settings_{findings_};
  CaseAuditor cases_{findings_};
  UnknownReceiptAuditor unknown_receipts_{findings_, money_};
  ReplyAuditor replies_{findings_, states_, orders_, money_, cases_};
  RequestAuditor requests_;
  EvidenceAuditor evidence_;
  StatementAuditor statements_;
  IdempotencyAuditor idempotency_{findings_};
  StorageAuditor storage_{findings_};
};

}  // namespace finality::sim
