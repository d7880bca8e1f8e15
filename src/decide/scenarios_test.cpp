// Runs the sandbox's payment scenarios as commands. Each row has the channel's steps and the expected end state.
// tests/e2e/orders/test_failures.py runs the same scenarios over HTTP.
#include <gtest/gtest.h>

#include <functional>

#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

// Fixture: one order with a payment that has been sent. The methods record the channel's evidence about the payment.
class Scenario : public World {
 public:
  explicit Scenario(ClosePolicy policy = ClosePolicy::ask) {
    CreateOrder request = order_request();
    request.close_policy = policy;
    order_id = new_order(request);
    payment_id = start(order_id);
  }

  void reports(Evidence evidence) {
    now = now + 100ms;
    record_evidence(payment_id, std::move(evidence));
  }
  void notifies(Evidence evidence) {
    evidence.source = CauseKind::notification;
    reports(std::move(evidence));
  }
  /// Records `evidence` as the result of a query after the payment's send deadline.
  void is_queried(Evidence evidence) {
    now = std::max(now, payment(payment_id).send_deadline.value_or(now) + 1s);
    is_due();
    record_evidence(payment_id, queried(std::move(evidence)));
  }
  /// Advances the clock to the payment's due_at and claims its next request: a query or a send.
  void is_due() {
    const std::optional<Time> due_at = payment(payment_id).due_at;
    if (!due_at) return;
    now = std::max(now, *due_at);
    run(ClaimRequest{kMerchant, order_id, payment_id, *due_at});
  }
  void close() { run(CloseOrder{kMerchant, order_id}); }
  void refund(MinorUnits amount) { run(CreateRefund{kMerchant, payment_id, amount, "R1", {}, "sandbox", kCny}); }
  void refund_is(K kind) { record_result(order_now().refunds.at(0), kind); }
  /// Records the success of every open reversal of the order.
  void reversals_succeed() {
    for (const Reversal& row : std::vector(order_now().reversals))
      if (!reversal_machine.is_final(row.state)) record_result(row, K::refunded);
  }

  const OrderAggregate& order_now() { return aggregate(order_id); }

  OrderId order_id;
  PaymentId payment_id;

 private:
  void record_result(auto row, K kind) {
    if (!row.send_deadline || row.state == decltype(row.state)::pending) {
      now = std::max(now, row.due_at.value_or(now));
      run(ClaimRequest{kMerchant, order_id, row.id, *row.due_at});
      row = *find_row(rows_like(row), row.id);
    }
    now = std::max(now, *row.send_deadline + 1s);
    run(RecordRefund{kMerchant,
                     order_id,
                     row.id,
                     row.out_refund_no,
                     "sandbox",
                     kCny,
                     row.amount,
                     {.kind = kind, .source = CauseKind::query, .asked_at = now, .code = "", .message = ""}});
  }
  const std::vector<Refund>& rows_like(const Refund&) { return order_now().refunds; }
  const std::vector<Reversal>& rows_like(const Reversal&) { return order_now().reversals; }
};

// The expected end state. The defaults are those of a succeeded payment.
struct End {
  OrderState order = OrderState::succeeded;
  PaymentState payment = PaymentState::succeeded;
  MinorUnits payable = kAmount;      // balance of merchant_payable
  MinorUnits suspense = 0;           // balance of suspense
  std::ptrdiff_t receipts = 1;       // number of receipts in any state
  std::ptrdiff_t returned = 0;       // number of returned receipts
  std::vector<CaseKind> cases = {};  // kinds of all cases
};

struct Row {
  std::string scenario;
  std::function<void(Scenario&)> happens;
  End end = {};
  ClosePolicy policy = ClosePolicy::ask;
};

constexpr auto kClosed = OrderState::closed;
constexpr auto kOpen = OrderState::pending;  // unpaid and open to another payment

void pays(Scenario& scenario) {
  scenario.reports(waiting());
  scenario.notifies(paid());
}
void closes_and_pays(Scenario& scenario) {
  scenario.reports(waiting());
  scenario.close();
  scenario.reports(paid());
  scenario.reversals_succeed();
}

// In the sequence of sandbox/core/scenario.cpp. The scenario with a forged notification has no row, because the server
// rejects the notification before it submits a command.
const std::vector<Row> kRows = {
    {"pays", pays},
    {"declines",
     [](Scenario& scenario) { scenario.reports(failed()); },
     {.order = kOpen, .payment = PaymentState::failed, .payable = 0, .receipts = 0}},
    {"never_pays",
     [](Scenario& scenario) {
       scenario.reports(waiting());
       scenario.close();
       scenario.is_queried(waiting());
       scenario.reports(closed());
     },
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .receipts = 0}},
    {"slow",
     [](Scenario& scenario) {
       EXPECT_EQ(scenario.order_now().order.state, OrderState::processing);
       scenario.now = scenario.now + 3s;
       scenario.reports(paid());
     }},
    {"pays_on_close",
     [](Scenario& scenario) {
       scenario.reports(waiting());
       scenario.close();
       scenario.is_queried(waiting());
       scenario.reports(paid());
     }},
    {"pays_on_close",
     closes_and_pays,
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .returned = 1},
     ClosePolicy::local},
    {"pays_after_close",
     [](Scenario& scenario) {
       scenario.reports(waiting());
       scenario.close();
       scenario.is_queried(waiting());
       scenario.reports(closed());
       scenario.notifies(paid());
       scenario.reversals_succeed();
     },
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .returned = 1}},
    {"pays_after_close, while the reversal is in progress",
     [](Scenario& scenario) {
       scenario.reports(waiting());
       scenario.close();
       scenario.notifies(paid());
     },
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .suspense = kAmount},
     ClosePolicy::local},
    {"pays_twice",
     [](Scenario& scenario) {
       pays(scenario);
       scenario.notifies(paid("T2"));
       scenario.reversals_succeed();
     },
     {.receipts = 2, .returned = 1}},
    {"notification_lost",
     [](Scenario& scenario) {
       scenario.reports(waiting());
       scenario.is_queried(paid());
     }},
    {"notification_before_reply",
     [](Scenario& scenario) {
       scenario.notifies(paid());
       scenario.reports(waiting());
     }},
    {"notification_doubled",
     [](Scenario& scenario) {
       for (int i = 0; i < 5; ++i) pays(scenario);
     }},
    {"notification_reordered",
     [](Scenario& scenario) {
       scenario.notifies(paid());
       scenario.notifies(waiting());
     }},
    {"wrong_amount",
     [](Scenario& scenario) { scenario.notifies(paid("T1", kAmount - 1)); },
     {.order = OrderState::processing,
      .payment = PaymentState::under_review,
      .payable = 0,
      .suspense = kAmount - 1,
      .cases = {CaseKind::amount_mismatch}}},
    {"wrong_currency, in suspense in the paid currency",
     [](Scenario& scenario) {
       scenario.notifies(paid("T1", kAmount, kUsd));
       EXPECT_EQ(scenario.balance(AccountKind::suspense, kUsd), kAmount);
     },
     {.order = OrderState::processing,
      .payment = PaymentState::under_review,
      .payable = 0,
      .cases = {CaseKind::amount_mismatch}}},
    {"refunded_by_channel",
     [](Scenario& scenario) {
       pays(scenario);
       scenario.notifies(refunded());
     },
     {.payable = 0, .cases = {CaseKind::external_refund}}},
    {"success_then_failure",
     [](Scenario& scenario) {
       pays(scenario);
       for (int i = 0; i < 2; ++i) scenario.notifies(failed());
     },
     {.cases = {CaseKind::conflicting_result}}},
    {"failure_then_success",
     [](Scenario& scenario) {
       scenario.notifies(failed());
       scenario.notifies(paid());
       scenario.reversals_succeed();
     },
     {.order = kOpen,
      .payment = PaymentState::failed,
      .payable = 0,
      .returned = 1,
      .cases = {CaseKind::paid_after_failure}}},
    {"request_lost",
     [](Scenario& scenario) {
       scenario.reports(unknown());
       const std::string number = scenario.payment(scenario.payment_id).out_trade_no;
       scenario.is_queried(not_found());
       scenario.is_due();
       EXPECT_EQ(scenario.calls(), std::vector{ChannelCallKind::send_payment});
       EXPECT_EQ(scenario.payment(scenario.payment_id).out_trade_no, number) << "the payer cannot pay two trades";
       pays(scenario);
     }},
    {"request_timeout_but_paid",
     [](Scenario& scenario) {
       scenario.reports(unknown());
       scenario.is_queried(paid());
     }},
    {"refund_fails_twice",
     [](Scenario& scenario) {
       pays(scenario);
       scenario.refund(500);
       for (const K kind : {K::try_again, K::try_again, K::refunded}) scenario.refund_is(kind);
       EXPECT_EQ(scenario.order_now().refunds.at(0).state, RefundState::succeeded);
     },
     {.payable = kAmount - 500}},
    {"refund_refused",
     [](Scenario& scenario) {
       pays(scenario);
       scenario.refund(500);
       scenario.refund_is(K::refused);
       EXPECT_EQ(scenario.order_now().refunds.at(0).state, RefundState::failed);
     }},
    {"refund_unknown",
     [](Scenario& scenario) {
       pays(scenario);
       scenario.refund(500);
       const std::string number = scenario.order_now().refunds.at(0).out_refund_no;
       for (const K kind : {K::unknown, K::unknown, K::refunded}) scenario.refund_is(kind);
       EXPECT_EQ(scenario.order_now().refunds.at(0).out_refund_no, number) << "an unknown result keeps its number";
     },
     {.payable = kAmount - 500}},
    {"channel_down",
     [](Scenario& scenario) {
       for (int i = 0; i < 5; ++i) scenario.is_queried(unknown());
       EXPECT_EQ(scenario.payment(scenario.payment_id).state, PaymentState::processing) << "unknown is never failed";
       scenario.is_queried(not_found());
       scenario.is_due();
       pays(scenario);
     }},
};

TEST(Scenarios, HaveTheExpectedEndState) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.scenario + (row.policy == ClosePolicy::local ? " (local)" : ""));
    Scenario scenario(row.policy);
    row.happens(scenario);
    const OrderAggregate& now = scenario.order_now();
    EXPECT_EQ(now.order.state, row.end.order);
    EXPECT_EQ(now.payments.front().state, row.end.payment);
    EXPECT_EQ(std::ssize(now.receipts), row.end.receipts);
    EXPECT_EQ(std::ranges::count(now.receipts, ReceiptState::returned, &Receipt::state), row.end.returned);
    EXPECT_EQ(scenario.balance(AccountKind::merchant_payable), row.end.payable);
    EXPECT_EQ(scenario.balance(AccountKind::suspense), row.end.suspense);
    std::vector<CaseKind> cases;
    for (const Case& one : now.cases) cases.push_back(one.kind);
    EXPECT_EQ(cases, row.end.cases);
  }
}

// Two channels report one order as paid: the first payment succeeds, the receipt of the second payment is reversed.
TEST(Scenarios, OfTwoPaidChannelsOneIsReversed) {
  Scenario scenario;
  scenario.reports(waiting());
  const PaymentId other = scenario.start(scenario.order_id);
  scenario.record_evidence(other, waiting("T2"));
  scenario.notifies(paid());
  scenario.record_evidence(other, paid("T2"));
  scenario.reversals_succeed();
  EXPECT_EQ(scenario.payment(scenario.payment_id).state, PaymentState::succeeded);
  EXPECT_EQ(scenario.payment(other).state, PaymentState::closed);
  EXPECT_EQ(scenario.balance(AccountKind::merchant_payable), kAmount);
  EXPECT_EQ(scenario.balance(AccountKind::suspense), 0);
}

}  // namespace
}  // namespace finality::test
