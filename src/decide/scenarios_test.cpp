// The scenarios of the sandbox at the level of commands. Each row has the channel's steps and the expected end state.
// tests/e2e/orders/test_failures.py has the same rows over HTTP.
#include <gtest/gtest.h>

#include <functional>

#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

// One order with a payment that has been sent, and the channel's evidence about it.
class Story : public World {
 public:
  explicit Story(ClosePolicy policy = ClosePolicy::ask) {
    CreateOrder request = order_request();
    request.close_policy = policy;
    order_id = new_order(request);
    payment_id = start(order_id);
  }

  void says(Evidence evidence) {
    now = now + 100ms;
    tell(payment_id, std::move(evidence));
  }
  void notifies(Evidence evidence) {
    evidence.source = CauseKind::notification;
    says(std::move(evidence));
  }
  /// Records the result of the next due query, after the deadline of every sent request.
  void is_asked(Evidence evidence) {
    now = std::max(now, payment(payment_id).send_deadline.value_or(now) + 1s);
    is_due();
    tell(payment_id, asked(std::move(evidence)));
  }
  /// Advances the clock to the payment's due_at and claims it: it is queried, sent or closed.
  void is_due() {
    const std::optional<Time> due_at = payment(payment_id).due_at;
    if (!due_at) return;
    now = std::max(now, *due_at);
    run(ClaimRequest{kMerchant, order_id, payment_id, *due_at});
  }
  void close() { run(CloseOrder{kMerchant, order_id}); }
  void refund(MinorUnits amount) { run(CreateRefund{kMerchant, payment_id, amount, "R1", {}, "sandbox", kCny}); }
  void refund_is(K kind) { hear(order_now().refunds.at(0), kind); }
  /// All open reversals succeed.
  void money_goes_back() {
    for (const Reversal& row : std::vector(order_now().reversals))
      if (!reversal_machine.is_final(row.state)) hear(row, K::refunded);
  }

  const OrderAggregate& order_now() { return aggregate(order_id); }

  OrderId order_id;
  PaymentId payment_id;

 private:
  void hear(auto row, K kind) {
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
  std::ptrdiff_t receipts = 1;       // all receipts
  std::ptrdiff_t returned = 0;       // returned receipts
  std::vector<CaseKind> cases = {};  // all cases
};

struct Row {
  std::string scenario;
  std::function<void(Story&)> happens;
  End end = {};
  ClosePolicy policy = ClosePolicy::ask;
};

constexpr auto kClosed = OrderState::closed;
constexpr auto kOpen = OrderState::pending;  // a further payment can succeed

void pays(Story& story) {
  story.says(waiting());
  story.notifies(paid());
}
void closes_and_pays(Story& story) {
  story.says(waiting());
  story.close();
  story.says(paid());
  story.money_goes_back();
}

// In the order of sandbox/core/scenario.cpp. A forged notification has no row: it never becomes a command.
const std::vector<Row> kRows = {
    {"pays", pays},
    {"declines",
     [](Story& story) { story.says(failed()); },
     {.order = kOpen, .payment = PaymentState::failed, .payable = 0, .receipts = 0}},
    {"never_pays",
     [](Story& story) {
       story.says(waiting());
       story.close();
       story.is_asked(waiting());
       story.says(closed());
     },
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .receipts = 0}},
    {"slow",
     [](Story& story) {
       EXPECT_EQ(story.order_now().order.state, OrderState::processing);
       story.now = story.now + 3s;
       story.says(paid());
     }},
    {"pays_on_close",
     [](Story& story) {
       story.says(waiting());
       story.close();
       story.is_asked(waiting());
       story.says(paid());
     }},
    {"pays_on_close",
     closes_and_pays,
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .returned = 1},
     ClosePolicy::local},
    {"pays_after_close",
     [](Story& story) {
       story.says(waiting());
       story.close();
       story.is_asked(waiting());
       story.says(closed());
       story.notifies(paid());
       story.money_goes_back();
     },
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .returned = 1}},
    {"pays_after_close, while the reversal is in progress",
     [](Story& story) {
       story.says(waiting());
       story.close();
       story.notifies(paid());
     },
     {.order = kClosed, .payment = PaymentState::closed, .payable = 0, .suspense = kAmount},
     ClosePolicy::local},
    {"pays_twice",
     [](Story& story) {
       pays(story);
       story.notifies(paid("T2"));
       story.money_goes_back();
     },
     {.receipts = 2, .returned = 1}},
    {"notification_lost",
     [](Story& story) {
       story.says(waiting());
       story.is_asked(paid());
     }},
    {"notification_before_reply",
     [](Story& story) {
       story.notifies(paid());
       story.says(waiting());
     }},
    {"notification_doubled",
     [](Story& story) {
       for (int i = 0; i < 5; ++i) pays(story);
     }},
    {"notification_reordered",
     [](Story& story) {
       story.notifies(paid());
       story.notifies(waiting());
     }},
    {"wrong_amount",
     [](Story& story) { story.notifies(paid("T1", kAmount - 1)); },
     {.order = kOpen,
      .payment = PaymentState::failed,
      .payable = 0,
      .suspense = kAmount - 1,
      .cases = {CaseKind::amount_mismatch}}},
    {"wrong_currency, in suspense in the paid currency",
     [](Story& story) {
       story.notifies(paid("T1", kAmount, kUsd));
       EXPECT_EQ(story.balance(AccountKind::suspense, kUsd), kAmount);
     },
     {.order = kOpen, .payment = PaymentState::failed, .payable = 0, .cases = {CaseKind::amount_mismatch}}},
    {"refunded_by_channel",
     [](Story& story) {
       pays(story);
       story.notifies(refunded());
     },
     {.payable = 0, .cases = {CaseKind::external_refund}}},
    {"success_then_failure",
     [](Story& story) {
       pays(story);
       for (int i = 0; i < 2; ++i) story.notifies(failed());
     },
     {.cases = {CaseKind::conflicting_result}}},
    {"failure_then_success",
     [](Story& story) {
       story.notifies(failed());
       story.notifies(paid());
       story.money_goes_back();
     },
     {.order = kOpen,
      .payment = PaymentState::failed,
      .payable = 0,
      .returned = 1,
      .cases = {CaseKind::paid_after_failure}}},
    {"request_lost",
     [](Story& story) {
       story.says(unknown());
       const std::string number = story.payment(story.payment_id).out_trade_no;
       story.is_asked(not_found());
       story.is_due();
       EXPECT_EQ(story.calls(), std::vector{ChannelCallKind::send_payment});
       EXPECT_EQ(story.payment(story.payment_id).out_trade_no, number) << "the payer cannot pay two trades";
       pays(story);
     }},
    {"request_timeout_but_paid",
     [](Story& story) {
       story.says(unknown());
       story.is_asked(paid());
     }},
    {"refund_fails_twice",
     [](Story& story) {
       pays(story);
       story.refund(500);
       for (const K kind : {K::try_again, K::try_again, K::refunded}) story.refund_is(kind);
       EXPECT_EQ(story.order_now().refunds.at(0).state, RefundState::succeeded);
     },
     {.payable = kAmount - 500}},
    {"refund_refused",
     [](Story& story) {
       pays(story);
       story.refund(500);
       story.refund_is(K::refused);
       EXPECT_EQ(story.order_now().refunds.at(0).state, RefundState::failed);
     }},
    {"refund_unknown",
     [](Story& story) {
       pays(story);
       story.refund(500);
       const std::string number = story.order_now().refunds.at(0).out_refund_no;
       for (const K kind : {K::unknown, K::unknown, K::refunded}) story.refund_is(kind);
       EXPECT_EQ(story.order_now().refunds.at(0).out_refund_no, number) << "an unknown result keeps its number";
     },
     {.payable = kAmount - 500}},
    {"channel_down",
     [](Story& story) {
       for (int i = 0; i < 5; ++i) story.is_asked(unknown());
       EXPECT_EQ(story.payment(story.payment_id).state, PaymentState::processing) << "unknown is never failed";
       story.is_asked(not_found());
       story.is_due();
       pays(story);
     }},
};

TEST(Scenarios, HaveTheExpectedEndState) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.scenario + (row.policy == ClosePolicy::local ? " (local)" : ""));
    Story story(row.policy);
    row.happens(story);
    const OrderAggregate& now = story.order_now();
    EXPECT_EQ(now.order.state, row.end.order);
    EXPECT_EQ(now.payments.front().state, row.end.payment);
    EXPECT_EQ(std::ssize(now.receipts), row.end.receipts);
    EXPECT_EQ(std::ranges::count(now.receipts, ReceiptState::returned, &Receipt::state), row.end.returned);
    EXPECT_EQ(story.balance(AccountKind::merchant_payable), row.end.payable);
    EXPECT_EQ(story.balance(AccountKind::suspense), row.end.suspense);
    std::vector<CaseKind> cases;
    for (const Case& one : now.cases) cases.push_back(one.kind);
    EXPECT_EQ(cases, row.end.cases);
  }
}

// Two channels report one order as paid: the first succeeds, the other receipt is reversed.
TEST(Scenarios, OfTwoPaidChannelsOneIsReversed) {
  Story story;
  story.says(waiting());
  const PaymentId other = story.start(story.order_id);
  story.tell(other, waiting("T2"));
  story.notifies(paid());
  story.tell(other, paid("T2"));
  story.money_goes_back();
  EXPECT_EQ(story.payment(story.payment_id).state, PaymentState::succeeded);
  EXPECT_EQ(story.payment(other).state, PaymentState::closed);
  EXPECT_EQ(story.balance(AccountKind::merchant_payable), kAmount);
  EXPECT_EQ(story.balance(AccountKind::suspense), 0);
}

}  // namespace
}  // namespace finality::test
