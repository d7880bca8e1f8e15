// Tests payouts of replaced attempts of a refund, reported by out_refund_no, by a running total, or by both.
#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

using Said = RefundEvidenceKind;

// A refund of 400 whose first attempt was refused but paid out. `booked` of the payout is already booked as an external
// refund from a running total. Then the success of the first attempt is reported by its out_refund_no, before or after
// the second attempt is sent.
class LatePayout : public RefundScenario {
 public:
  LatePayout(MinorUnits booked, bool is_sent_again) {
    pays();
    create_refund(400);
    const std::string first = own().out_refund_no;
    own_is(Said::try_again);
    if (booked > 0) total(booked);
    if (is_sent_again) own_is_sent_again();
    own_was(Said::refunded, first);
  }
  // The sum of all booked refunds, requested and external.
  MinorUnits booked() { return aggregate(order).order.refunded_amount; }
};

TEST(LatePayout, IsBookedOnceWhateverPartATotalHasBooked) {
  for (const bool is_sent_again : {false, true})
    for (const MinorUnits booked : {0, 150, 400}) {
      LatePayout scenario(booked, is_sent_again);
      const RefundState state = booked == 0 ? RefundState::succeeded : RefundState::failed;
      EXPECT_EQ(scenario.own().state, state) << booked;
      EXPECT_EQ(scenario.booked(), 400) << booked;
      EXPECT_EQ(scenario.balance(AccountKind::merchant_payable), kPaid - 400) << booked;
      EXPECT_EQ(scenario.balance(AccountKind::refunds_in_transit), 0) << booked;
      EXPECT_EQ(scenario.cases(CaseKind::conflicting_result), 1) << "one case, booked before: " << booked;
    }
}

TEST(LatePayout, QueriesTheOtherAttemptAndNeverResendsIt) {
  LatePayout scenario(400, true);
  scenario.effects.clear();
  scenario.external_is(Said::not_found);
  for (const Effect& effect : scenario.effects) EXPECT_FALSE(std::holds_alternative<RefundCall>(effect));
  EXPECT_EQ(scenario.booked(), 400);
}

TEST(LatePayout, OfBothAttemptsIsBooked) {
  LatePayout scenario(400, true);
  scenario.external_is(Said::refunded);
  EXPECT_EQ(scenario.booked(), 800) << "the channel has paid both";
}

TEST(LatePayout, ThatTheChannelContradictsLaterHasACase) {
  LatePayout scenario(400, true);
  scenario.external_is(Said::refunded);
  scenario.external_is(Said::not_found, RefundState::succeeded);
  EXPECT_EQ(scenario.booked(), 800) << "a payout stays booked";
  EXPECT_EQ(scenario.cases(CaseKind::conflicting_result), 2) << "one about each refund";
}

// The external refund is not the payout of the first attempt, but a refund of the same amount made in the channel's
// console. The next running total is therefore greater than the booked refunds.
TEST(LatePayout, BesideAnExternalRefundOfTheSameAmountIsDetectedByTheNextTotal) {
  LatePayout scenario(400, false);
  EXPECT_TRUE(scenario.queries_total());
  scenario.total(800);
  EXPECT_EQ(scenario.booked(), 800);
  EXPECT_EQ(scenario.balance(AccountKind::channel_receivable), 800 - kPaid);
}

}  // namespace
}  // namespace finality::test
