// Test fixture for refunds: one order, its refunds, and channel evidence that is recorded at intervals of one minute.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "decide/exception/resolution.h"
#include "decide/merchant/set_fee.h"
#include "decide/refund/create_refund.h"
#include "decide/testing/test_world.h"

namespace finality::test {

inline constexpr MinorUnits kPaid = 1000;

// One order of kPaid with one payment and requested refunds. The methods record the channel's evidence about them.
class RefundScenario : public World {
  using K = RefundEvidenceKind;

 public:
  RefundScenario() : order(new_order(request())), payment(start(order)) {}
  explicit RefundScenario(const SetFee& fee) : RefundScenario() { run(fee); }

  void later() { now = now + 1min; }
  void record_later(const Evidence& evidence) {
    later();
    record_evidence(payment, evidence);
  }

  // Records that the payer paid trade `trade`. Trades after the first are duplicates.
  void pays(std::string trade = "T1") { record_later(finality::test::paid(std::move(trade), kPaid)); }
  // Records evidence with the running total of the refunds of a trade.
  void total(MinorUnits refunded, std::string trade = "T1") {
    Evidence evidence = finality::test::paid(std::move(trade), kPaid);
    evidence.refunded = refunded;
    record_later(evidence);
  }
  // Records a running total that was queried before the last refund ended.
  void old_total(MinorUnits refunded) {
    Evidence evidence = finality::test::paid("T1", kPaid);
    evidence.refunded = refunded;
    later();
    run_old(evidence);
  }
  // Records evidence about an external refund with the refund number `number`.
  void number(std::string number, MinorUnits amount, K kind = K::refunded, std::string trade = "T1") {
    Evidence evidence = finality::test::paid(std::move(trade), kPaid);
    evidence.refund = ReportedRefund{std::move(number), amount, kind};
    record_later(evidence);
  }
  // Records evidence about an external refund whose amount the channel does not report.
  void hidden(std::string trade = "T1") {
    Evidence evidence = finality::test::paid(std::move(trade), kPaid);
    evidence.is_refund_unknown = true;
    record_later(evidence);
  }

  bool create_refund(MinorUnits amount) {
    later();
    const std::string number = "R" + std::to_string(++refunds_created_);
    return run(CreateRefund{kMerchant, payment, amount, number, {}, "sandbox", kCny}).has_value();
  }
  const Refund& own(std::size_t which = 0) {
    for (const Refund& refund : aggregate(order).refunds)
      if (refund.origin == RefundOrigin::merchant && which-- == 0) return refund;
    throw std::out_of_range("the refund does not exist");
  }
  void own_is(K kind, std::size_t which = 0) { own_was(kind, own(which).out_refund_no, which); }
  // Records evidence about one attempt of a requested refund. `attempt`: out_refund_no; `which`: index of the refund.
  void own_was(K kind, const std::string& attempt, std::size_t which = 0) {
    later();
    const Refund row = own(which);
    run(RecordRefund{kMerchant, order, row.id, attempt, "sandbox", kCny, row.amount, {.kind = kind, .asked_at = now}});
  }
  void own_is_sent_again(std::size_t which = 0) {
    now = std::max(now, own(which).due_at.value());
    run(ClaimRequest{kMerchant, order, own(which).id, now});
  }
  // Requests a refund whose first attempt is refused (`try_again`) and whose second attempt succeeds. Returns the
  // out_refund_no of the first attempt.
  std::string pays_and_refunds_by_a_second_attempt(MinorUnits amount) {
    pays();
    create_refund(amount);
    const std::string first = own().out_refund_no;
    own_is(K::try_again);
    own_is_sent_again();
    own_is(K::refunded);
    return first;
  }
  const Reversal& reversal() { return aggregate(order).reversals.at(0); }
  void reversal_was(K kind, const std::string& attempt, MinorUnits amount = kPaid) {
    later();
    run(RecordRefund{
        kMerchant, order, reversal().id, attempt, "sandbox", kCny, amount, {.kind = kind, .asked_at = now}});
  }
  void reversal_is(K kind) { reversal_was(kind, reversal().out_refund_no, reversal().amount); }
  // Records that the channel returned a part of a requested refund. `number`: number of the return.
  Decision returns(const std::string& number, MinorUnits amount, std::size_t which = 0) {
    return returns_of(own(which), number, amount);
  }
  Decision returns_of(const Refund& refund, const std::string& number, MinorUnits amount) {
    later();
    return run(RecordRefund{kMerchant,
                            order,
                            refund.id,
                            refund.out_refund_no,
                            "sandbox",
                            kCny,
                            refund.amount,
                            {.kind = K::refunded, .asked_at = now, .returned = ReportedReturn{number, amount}}});
  }
  // Records that the channel returned a part of the payout of an earlier attempt of a requested refund.
  Decision attempt_returns(const std::string& attempt, const std::string& number, MinorUnits amount) {
    Refund refund = own();
    refund.out_refund_no = attempt;
    return returns_of(refund, number, amount);
  }
  // Records that the channel returned a part of the external refund `refund`. `number`: number of the return.
  void number_returns(const std::string& refund, MinorUnits refunded, const std::string& number, MinorUnits amount) {
    Evidence evidence = finality::test::paid("T1", kPaid);
    evidence.refund = ReportedRefund{refund, refunded, K::refunded, ReportedReturn{number, amount}};
    record_later(evidence);
  }
  // Proposes and approves a resolution of the case of that kind.
  Decision resolves(CaseKind kind, const std::string& resolution) {
    const Case row = *std::ranges::find(aggregate(order).cases, kind, &Case::kind);
    run(ProposeResolution{kMerchant, order, row.id, resolution, "ours", "key_a"});
    return try_run(reviewed(ApproveResolution{kMerchant, order, row.id, "key_b", {}, "sandbox", kCny}));
  }
  // Records the result of a query of the first external refund in that state. Fails the test without such a refund.
  void external_is(K kind, RefundState state = RefundState::processing) {
    for (const Refund& refund : aggregate(order).refunds)
      if (refund.state == state && refund.origin == RefundOrigin::channel && !refund.out_refund_no.empty()) {
        later();
        run(RecordRefund{kMerchant,
                         order,
                         refund.id,
                         refund.out_refund_no,
                         "sandbox",
                         kCny,
                         refund.reported_amount,
                         {.kind = kind, .asked_at = now}});
        return;
      }
    FAIL() << "no external refund is " << name_of(state);
  }

  MinorUnits external() {
    MinorUnits sum = 0;
    for (const Refund& refund : aggregate(order).refunds)
      if (refund.origin == RefundOrigin::channel && refund.state == RefundState::succeeded) sum += refund.amount;
    return sum;
  }
  std::int64_t cases(CaseKind kind) { return std::ranges::count(aggregate(order).cases, kind, &Case::kind); }
  const Payment& payment_now() { return aggregate(order).payments.at(0); }
  bool queries_total() { return payment_now().query_total_of.has_value(); }

  OrderId order;
  PaymentId payment;

 private:
  CreateOrder request() {
    CreateOrder request = order_request();
    request.amount = kPaid;
    return request;
  }
  void run_old(Evidence evidence) {
    RecordEvidence command = this->evidence_command(payment, std::move(evidence));
    command.evidence.asked_at = kNow;
    run(command);
  }
  int refunds_created_ = 0;
};

}  // namespace finality::test
