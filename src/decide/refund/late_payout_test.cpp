// An attempt of a refund that was given up has paid: by its number, by a running total, or by both, in either order.
#include "decide/testing/test_story.h"

namespace finality::test {
namespace {

using Said = RefundEvidenceKind;

// A refund of 400 whose first attempt was refused and has paid; a total has booked `booked` of it as external. The
// second attempt has been sent, or not yet. Then the number of the first is reported.
class LatePayout : public Story {
 public:
  LatePayout(MinorUnits booked, bool is_sent_again) {
    pays();
    asks(400);
    const std::string first = own().out_refund_no;
    own_is(Said::try_again);
    if (booked > 0) total(booked);
    if (is_sent_again) own_is_sent_again();
    own_was(Said::refunded, first);
  }
  // All refunds that the books have, of either origin.
  MinorUnits booked() { return aggregate(order).order.refunded_amount; }
};

TEST(LatePayout, IsBookedOnceHoweverMuchOfItATotalHasBooked) {
  for (const bool is_sent_again : {false, true})
    for (const MinorUnits booked : {0, 150, 400}) {
      LatePayout story(booked, is_sent_again);
      const RefundState state = booked == 0 ? RefundState::succeeded : RefundState::failed;
      EXPECT_EQ(story.own().state, state) << booked;
      EXPECT_EQ(story.booked(), 400) << booked;
      EXPECT_EQ(story.balance(AccountKind::merchant_payable), kPaid - 400) << booked;
      EXPECT_EQ(story.balance(AccountKind::refunds_in_transit), 0) << booked;
      EXPECT_EQ(story.cases(CaseKind::conflicting_result), 1) << "a person learns of it, of " << booked;
    }
}

TEST(LatePayout, HasTheOtherAttemptQueriedAndNeverSentAgain) {
  LatePayout story(400, true);
  story.effects.clear();
  story.external_is(Said::not_found);
  for (const Effect& effect : story.effects) EXPECT_FALSE(std::holds_alternative<RefundCall>(effect));
  EXPECT_EQ(story.booked(), 400);
}

TEST(LatePayout, OfTheOtherAttemptToo) {
  LatePayout story(400, true);
  story.external_is(Said::refunded);
  EXPECT_EQ(story.booked(), 800) << "the channel has paid both";
}

// The external refund was another one of the same amount, made in the channel's console: the total tells.
TEST(LatePayout, BesideAnExternalRefundOfTheSameAmountIsFoundByTheNextTotal) {
  LatePayout story(400, false);
  EXPECT_TRUE(story.asks_the_total());
  story.total(800);
  EXPECT_EQ(story.booked(), 800);
  EXPECT_EQ(story.balance(AccountKind::channel_receivable), 800 - kPaid);
}

}  // namespace
}  // namespace finality::test
