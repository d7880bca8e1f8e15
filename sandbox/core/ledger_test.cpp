#include "sandbox/core/ledger.h"

#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

struct Following {
  const char* scenario;
  bool (Ledger::*end)(Trade&);
  std::vector<std::string> notified;
};

// Parameters: a scenario, and whether the merchant acknowledges the first notification.
class LedgerTest : public TestLedger, public testing::WithParamInterface<std::tuple<Following, bool>> {
 protected:
  LedgerTest() { sends_ = false; }
};

class LedgerTestOfHolds : public TestLedger {
 protected:
  LedgerTestOfHolds() { sends_ = false; }
};

INSTANTIATE_TEST_SUITE_P(
    , LedgerTest,
    testing::Combine(testing::Values(Following{"success_then_failure", &Ledger::pay, {"trade.paid", "trade.failed"}},
                                     Following{
                                         "failure_then_success", &Ledger::decline, {"trade.failed", "trade.paid"}},
                                     Following{"notification_reordered", &Ledger::pay, {"trade.paid", "trade.waiting"}},
                                     Following{"console_refund_full", &Ledger::pay, {"trade.paid", "trade.refunded"}}),
                     testing::Bool()),
    [](const auto& test) {
      return std::string(std::get<0>(test.param).scenario) + (std::get<1>(test.param) ? "_acknowledged" : "_deferred");
    });

TEST_P(LedgerTest, AFollowingEventWaitsUntilTheFirstNotificationHasBeenSent) {
  const auto& [following, is_acknowledged] = GetParam();
  Trade trade = create("order-1", 100, following.scenario);
  ASSERT_TRUE((ledger_.*following.end)(trade));
  advance_to("2026-03-02 00:01:00");
  advance_to("2026-03-02 00:02:00");
  ASSERT_EQ(notified(), std::vector{following.notified[0]});
  ledger_.take_due();
  if (is_acknowledged) {
    acknowledge_all();
  } else {
    ledger_.defer(due_notifications()[0], std::nullopt);
  }
  EXPECT_TRUE(ledger_.take_due().trade) << "the planned event is due again";
  advance_to("2026-03-02 00:02:00");
  EXPECT_EQ(notified(), std::vector{following.notified[1]});
}

TEST_F(LedgerTestOfHolds, AReleaseByTheChannelWaitsUntilTheAuthorizationHasBeenSent) {
  Hold order;
  order.channel = "sandbox";
  order.out_order_no = "order-1";
  order.amount = 100;
  order.currency = "CNY";
  order.subject = "tea";
  order.notify_url = "http://merchant.example/notify";
  order.scenario = "released_by_channel";
  Hold hold = *enter(ledger_, order).hold;
  ASSERT_TRUE(ledger_.authorize(hold));
  advance_to("2026-03-02 00:01:00");
  advance_to("2026-03-02 00:02:00");
  EXPECT_EQ(ledger_.find_hold("sandbox", "order-1")->state, HoldState::held);
  acknowledge_all();
  EXPECT_TRUE(ledger_.take_due().trade) << "the planned event is due again";
  advance_to("2026-03-02 00:02:00");
  EXPECT_EQ(ledger_.find_hold("sandbox", "order-1")->state, HoldState::ended);
}

}  // namespace
}  // namespace finality::sandbox
