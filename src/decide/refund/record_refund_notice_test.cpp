// Tests for which refund, reversal or payment the evidence of a refund notification is recorded.
#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

/// One order with a refund of 400, whose first attempt was refused, and the reversal of a duplicate payment.
class RefundNotices : public RefundScenario {
 public:
  RefundNotices() {
    pays();
    create_refund(400);
    first = own().out_refund_no;
    own_is(RefundEvidenceKind::try_again);
    own_is_sent_again();
    pays("T2");
    later();
  }
  /// Returns a notification that the refund `number` was paid out. `reported`: the reported amount; empty: the
  /// notification contains no refund of the payment.
  RecordRefundNotice notice(std::string number, std::optional<MinorUnits> reported = {}) {
    Evidence evidence = finality::test::paid("T1", kPaid);
    if (reported) evidence.refund = ReportedRefund{number, *reported};
    if (!reported) evidence.kind = EvidenceKind::unknown;
    return {evidence_command(payment, evidence),
            std::move(number),
            {.kind = RefundEvidenceKind::refunded, .source = CauseKind::notification, .asked_at = now}};
  }

  std::string first;  // out_refund_no of the refused first attempt
};

RecordEvidence& payment_in(RecordRefundNotice& notice) { return std::get<RecordEvidence>(notice.trade); }

TEST(RecordRefundNotice, RecordsTheEvidenceForTheRefundOrReversalOfTheNumber) {
  for (const bool reports_amount : {false, true}) {
    RefundNotices world;
    const auto amount = [&](MinorUnits sum) { return reports_amount ? std::optional(sum) : std::nullopt; };
    EXPECT_TRUE(world.run(world.notice(world.own().out_refund_no, amount(400))));
    EXPECT_EQ(world.own().state, RefundState::succeeded);
    EXPECT_TRUE(world.run(world.notice(world.reversal().out_refund_no, amount(kPaid))));
    EXPECT_EQ(world.reversal().state, ReversalState::succeeded);
    EXPECT_EQ(world.external(), 0);
  }
}

TEST(RecordRefundNotice, RecordsThePayoutOfAnAbandonedAttempt) {
  RefundNotices world;
  EXPECT_TRUE(world.run(world.notice(world.first, 400)));
  EXPECT_EQ(world.own().state, RefundState::succeeded);
  EXPECT_EQ(world.cases(CaseKind::conflicting_result), 1);
}

TEST(RecordRefundNotice, IsEvidenceAboutThePaymentWhenTheRefundIsNotOurs) {
  const std::string no_merchant = out_number(kOtherMerchant, 999);
  for (const std::string& number : {std::string("console-1"), no_merchant}) {
    RefundNotices world;
    EXPECT_TRUE(world.run(world.notice(number, 300)));
    EXPECT_EQ(world.external(), 300) << number;
    EXPECT_EQ(world.refusal_of(world.notice(number)), "not_found") << number;
  }
}

TEST(RecordRefundNotice, DoesNotEndOurRefundWhenAnythingDiffers) {
  struct Row {
    std::string_view what;
    void (*change)(RefundNotices& world, RecordRefundNotice& notice);
  };
  const Row rows[] = {
      {"a later attempt", [](RefundNotices&, RecordRefundNotice& notice) { notice.out_refund_no.back() = '3'; }},
      {"not an attempt", [](RefundNotices&, RecordRefundNotice& notice) { notice.out_refund_no.back() = '1'; }},
      {"text after the attempt", [](RefundNotices&, RecordRefundNotice& notice) { notice.out_refund_no += ' '; }},
      {"another merchant's number",
       [](RefundNotices& world, RecordRefundNotice& notice) {
         notice.out_refund_no = out_refund_number(kOtherMerchant, world.own().id.value, 2);
       }},
      {"another currency",
       [](RefundNotices&, RecordRefundNotice& notice) { payment_in(notice).evidence.currency = kUsd; }},
      {"another channel", [](RefundNotices&, RecordRefundNotice& notice) { payment_in(notice).channel = "sandbox2"; }},
      {"another trade",
       [](RefundNotices&, RecordRefundNotice& notice) { payment_in(notice).out_trade_no.back() ^= 1; }},
      {"another merchant",
       [](RefundNotices&, RecordRefundNotice& notice) { payment_in(notice).merchant_id = kOtherMerchant; }},
      {"another payment of the order", [](RefundNotices& world, RecordRefundNotice& notice) {
         world.run(StartPayment{kMerchant, world.order, {.channel = "sandbox", .method = "redirect"}});
         const RecordEvidence other = world.evidence_command(world.start(world.new_order()), Evidence{});
         payment_in(notice).payment_id = other.payment_id;
         payment_in(notice).out_trade_no = other.out_trade_no;
       }}};
  for (const Row& row : rows) {
    RefundNotices world;
    RecordRefundNotice notice = world.notice(world.own().out_refund_no);
    row.change(world, notice);
    EXPECT_EQ(world.refusal_of(notice), "not_found") << row.what;
    EXPECT_EQ(world.own().state, RefundState::processing) << row.what;
  }
}

// A notification with a requested out_refund_no but another amount does not complete the refund. It is recorded as
// evidence about the payment: the channel has refunded another amount.
TEST(RecordRefundNotice, OfAnotherAmountIsEvidenceAboutThePayment) {
  for (const MinorUnits amount : {399, 401}) {
    RefundNotices world;
    EXPECT_TRUE(world.run(world.notice(world.own().out_refund_no, amount)));
    EXPECT_EQ(world.own().state, RefundState::processing) << amount;
    EXPECT_EQ(world.events.front().object_type, ObjectType::payment) << amount;
  }
}

// The channel reports another refund, of the other trade and in another currency, under our out_refund_no. Evidence
// about our refund is still recorded for our refund.
TEST(RecordRefundNotice, IsNotMistakenForARefundOfAnotherTradeWithTheSameNumber) {
  for (const bool is_returned : {false, true}) {
    RefundScenario world;
    world.pays();
    world.create_refund(400);
    const std::string number = world.own().out_refund_no;
    Evidence other = finality::test::paid("T2", 700, kUsd);
    other.refund =
        ReportedRefund{number, 700, is_returned ? RefundEvidenceKind::refunded : RefundEvidenceKind::accepted};
    world.record_later(other);
    world.own_is(RefundEvidenceKind::refunded);
    EXPECT_EQ(world.own().state, RefundState::succeeded);
    if (is_returned) {
      EXPECT_TRUE(world.returns("RR1", 400));
      EXPECT_EQ(world.own().returned_amount, 400);
      EXPECT_EQ(world.balance(AccountKind::merchant_payable), kPaid);
    }
  }
}

/// The channel account is the merchant's own.
class DirectFunds : public RefundScenario {
 public:
  DirectFunds() { payment_of_world().funds = Funds::merchant; }
  MinorUnits direct() { return balance(AccountKind::merchant_direct); }
  MinorUnits payable() { return balance(AccountKind::merchant_payable); }

 private:
  Payment& payment_of_world() { return aggregate(order).payments.front(); }
};

TEST(DirectFunds, AWriteOffIsALossOfTheMerchant) {
  DirectFunds world;
  world.pays();
  world.record_later(failed());
  ASSERT_TRUE(world.resolves(CaseKind::conflicting_result, "write_off"));
  EXPECT_EQ(world.direct(), 0);
  EXPECT_EQ(world.payable(), 0);
  EXPECT_EQ(world.balance(AccountKind::loss), 0);
  EXPECT_EQ(world.balance(AccountKind::channel_receivable), 0);
}

TEST(DirectFunds, ADuplicateSettledOfflineIsPaidByTheMerchant) {
  DirectFunds world;
  world.pays();
  world.pays("T2");
  world.reversal_is(RefundEvidenceKind::refused);
  ASSERT_TRUE(world.resolves(CaseKind::reversal_blocked, "settled_offline"));
  EXPECT_EQ(world.balance(AccountKind::suspense), 0);
  EXPECT_EQ(world.balance(AccountKind::bank), 0);
  EXPECT_EQ(world.direct(), 2 * kPaid) << "the merchant keeps both payments at the channel";
}

TEST(DirectFunds, AReturnedRefundThatThePlatformBoreIsChargedToTheMerchantAgain) {
  DirectFunds world;
  world.pays();
  world.number("console-1", 400);
  ASSERT_TRUE(world.resolves(CaseKind::external_refund, "charge_platform"));
  EXPECT_EQ(world.direct(), kPaid - 400);
  EXPECT_EQ(world.payable(), 400);
  EXPECT_EQ(world.balance(AccountKind::loss), -400);
  world.number_returns("console-1", 400, "RR1", 400);
  EXPECT_EQ(world.direct(), kPaid);
  EXPECT_EQ(world.payable(), 0);
  EXPECT_EQ(world.balance(AccountKind::loss), 0);
}

}  // namespace
}  // namespace finality::test
