// Tests of payments under review: two operators accept the received amount, or return it (ADR 0059).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "decide/order/close_order.h"
#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

class Mismatch : public RefundScenario {
 public:
  explicit Mismatch(MinorUnits received = kPaid - 2, Currency currency = kCny) { receive(received, currency); }
  Mismatch(const SetFee& fee, MinorUnits received) : RefundScenario(fee) { receive(received, kCny); }

  void receive(MinorUnits amount, Currency currency = kCny, std::string trade = "T1") {
    record_later(finality::test::paid(std::move(trade), amount, currency));
  }
  // Records evidence about the received trade with a change.
  void reports(void (*change)(Evidence&)) {
    Evidence evidence = finality::test::paid("T1", receipt().amount, receipt().currency);
    change(evidence);
    record_later(evidence);
  }
  // Returns the name of the refusal, or `ok`.
  std::string decides(const std::string& resolution) {
    const Decision decision = resolves(CaseKind::amount_mismatch, resolution);
    return decision ? "ok" : std::string(name_of(decision.error().code));
  }
  const Receipt& receipt() { return aggregate(order).receipts.at(0); }
  std::string states() {
    return fmt::format("{} {} {}", name_of(aggregate(order).order.state), name_of(payment_now().state),
                       name_of(receipt().state));
  }
};

TEST(AcceptMismatch, IsUnderReviewUntilOperatorsDecide) {
  Mismatch world;
  EXPECT_EQ(world.states(), "processing under_review suspense");
  EXPECT_EQ(world.balance(AccountKind::suspense), kPaid - 2);
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), 0);
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, world.order, {.channel = "sandbox", .method = "redirect"}}),
            "payment_in_progress");
}

TEST(AcceptMismatch, PaysTheOrderWithTheReceivedAmount) {
  for (const MinorUnits received : {MinorUnits{1}, kPaid - 2, kPaid + 2}) {
    SCOPED_TRACE(received);
    Mismatch world(received);
    EXPECT_EQ(world.decides("accept"), "ok");
    EXPECT_EQ(world.states(), "succeeded succeeded accepted");
    EXPECT_EQ(world.delivery_types(), "order.succeeded");
    EXPECT_EQ(world.aggregate(world.order).order.paid_amount, received);
    EXPECT_EQ(world.receipt().accepted_difference, received - kPaid);
    EXPECT_EQ(world.balance(AccountKind::suspense), 0);
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), received);
    EXPECT_EQ(world.balance(AccountKind::loss), 0);
  }
}

TEST(AcceptMismatch, RefundsAreLimitedByTheReceivedAmount) {
  for (const MinorUnits received : {kPaid - 2, kPaid + 2}) {
    SCOPED_TRACE(received);
    Mismatch world(received);
    world.decides("accept");
    EXPECT_FALSE(world.create_refund(received + 1));
    EXPECT_TRUE(world.create_refund(received));
    world.own_is(K::refunded);
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), 0);
  }
}

TEST(AcceptMismatch, ChargesTheFeeOnTheReceivedAmount) {
  const SetFee fee{.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 100};
  Mismatch world(fee, kPaid * 2);
  world.decides("accept");
  EXPECT_EQ(world.payment_now().fee_amount, kPaid * 2 / 100);
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), kPaid * 2 - kPaid * 2 / 100);
}

TEST(AcceptMismatch, MoneyOfTheMerchantsAccountIsNotPayable) {
  RefundScenario world;
  world.aggregate(world.order).payments.at(0).funds = Funds::merchant;
  world.record_later(paid("T1", kPaid - 2));
  EXPECT_TRUE(world.resolves(CaseKind::amount_mismatch, "accept"));
  EXPECT_EQ(world.balance(AccountKind::merchant_direct), kPaid - 2);
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), 0);
}

TEST(AcceptMismatch, IsRefusedUnlessTheWholeAmountIsInSuspense) {
  const struct {
    std::string_view what;
    void (*happens)(Mismatch&);
  } rows[] = {
      {"the payer paid again, too little", [](Mismatch& it) { it.receive(3, kCny, "T2"); }},
      {"the payer paid again, in full", [](Mismatch& it) { it.pays("T2"); }},
      {"the channel refunded a part", [](Mismatch& it) { it.reports([](Evidence& one) { one.refunded = 1; }); }},
      {"the channel refunded all", [](Mismatch& it) { it.reports([](Evidence& one) { one.refunded = kPaid - 2; }); }},
      {"the channel refunded an unknown part",
       [](Mismatch& it) { it.reports([](Evidence& one) { one.is_refund_unknown = true; }); }},
      {"the channel settles it in another currency",
       [](Mismatch& it) {
         it.reports([](Evidence& one) {
           one.settlement = ReportedSettlement{.transaction_no = "B1", .amount = 143, .currency = kUsd};
         });
       }},
      {"the channel denies the payment", [](Mismatch& it) { it.record_later(Evidence{.kind = EvidenceKind::closed}); }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    Mismatch world;
    row.happens(world);
    const MinorUnits payable = world.balance(AccountKind::merchant_payable);
    EXPECT_EQ(world.decides("accept"), "illegal_transition");
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), payable);
  }
  Mismatch dollars(kPaid, kUsd);
  EXPECT_EQ(dollars.decides("accept"), "illegal_transition");
  EXPECT_EQ(dollars.states(), "processing under_review suspense");
}

TEST(AcceptMismatch, WaitsForTheDecisionWhetherTheChannelsDenialIsTrue) {
  Mismatch world;
  world.record_later(Evidence{.kind = EvidenceKind::closed});
  EXPECT_EQ(world.decides("accept"), "illegal_transition");
  EXPECT_FALSE(world.resolves(CaseKind::conflicting_result, "write_off")) << "it would write off nothing";
  EXPECT_TRUE(world.resolves(CaseKind::conflicting_result, "keep"));
  EXPECT_EQ(world.decides("accept"), "ok");
}

TEST(AcceptMismatch, ASecondReceiptOfTheFullAmountEndsTheReview) {
  Mismatch world;
  world.pays("T2");
  EXPECT_EQ(world.states(), "succeeded succeeded suspense");
  EXPECT_EQ(world.decides("refund"), "ok");
  EXPECT_EQ(world.aggregate(world.order).reversals.size(), 1u);
}

TEST(AcceptMismatch, ARefundFailsThePaymentAndTheOrderCanBePaidAgain) {
  Mismatch world;
  EXPECT_EQ(world.decides("refund"), "ok");
  EXPECT_EQ(world.states(), "pending failed suspense");
  EXPECT_EQ(world.payment_now().failure_code, "amount_mismatch");
  world.reversal_is(K::refunded);
  EXPECT_EQ(world.states(), "pending failed returned");
  world.record_evidence(world.start(world.order), paid("T2", kPaid));
  EXPECT_EQ(world.aggregate(world.order).order.state, OrderState::succeeded);
}

TEST(AcceptMismatch, AnOrderThatClosesWaitsForTheDecision) {
  const struct {
    std::string_view resolution;
    std::string_view states;
  } rows[] = {{"accept", "succeeded succeeded accepted"}, {"refund", "closed failed suspense"}};
  for (const auto& row : rows) {
    Mismatch world;
    world.run(CloseOrder{kMerchant, world.order});
    EXPECT_EQ(world.states(), "processing under_review suspense");
    EXPECT_FALSE(world.payment_now().due_at);
    EXPECT_EQ(world.decides(std::string(row.resolution)), "ok");
    EXPECT_EQ(world.states(), row.states);
  }
}

TEST(AcceptMismatch, ALocalCloseFailsThePayment) {
  Mismatch world;
  world.aggregate(world.order).order.close_policy = ClosePolicy::local;
  world.run(CloseOrder{kMerchant, world.order});
  EXPECT_EQ(world.states(), "closed failed suspense");
  EXPECT_FALSE(world.payment_now().close_pending || world.payment_now().due_at);
  EXPECT_EQ(world.decides("accept"), "illegal_transition");
  EXPECT_EQ(world.decides("refund"), "ok");
  EXPECT_EQ(world.states(), "closed failed suspense");
}

TEST(AcceptMismatch, AnotherPaymentOfTheOrderEndsTheReview) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId first = world.start(order);
  world.record_evidence(first, waiting());
  const PaymentId second = world.start(order);
  world.record_evidence(second, paid("T2", kAmount - 1));
  world.record_evidence(first, paid());
  EXPECT_EQ(world.order(order).state, OrderState::succeeded);
  EXPECT_EQ(world.payment(second).state, PaymentState::failed);
  EXPECT_EQ(world.payment(second).failure_code, "amount_mismatch");
}

TEST(AcceptMismatch, NoOtherPaymentIsSentDuringTheReview) {
  World world;
  const OrderId order = world.new_order();
  const PaymentId first = world.start(order);
  world.record_evidence(first, waiting());
  const PaymentId second = world.start(order);
  world.now = world.now + 1min;
  world.record_evidence(second, not_found());  // to be sent again
  world.record_evidence(first, paid("T1", 1));
  world.now = *world.payment(second).due_at;
  world.run(ClaimRequest{kMerchant, order, second, world.now});
  EXPECT_TRUE(world.calls().empty());
  EXPECT_GT(*world.payment(second).due_at, world.now);
}

}  // namespace
}  // namespace finality::test
