// Scenarios whose facts only a statement reports.
#include "sandbox/core/scenario.h"
#include "sandbox/testing/test_ledger.h"

namespace finality::sandbox {
namespace {

using StatementScenarioTest = TestLedger;
using Types = std::vector<std::string>;

TEST_F(StatementScenarioTest, AConsoleRefundIsNotNotified) {
  pay("order-1", 1000, "console_refund");
  advance_to("2026-03-02 00:00:01");
  EXPECT_EQ(ledger_.find_trade("sandbox", "order-1")->refunded, 500);
  EXPECT_EQ(notified(), Types{"trade.paid"});
}

TEST_F(StatementScenarioTest, AForeignPaymentHasAnUnknownNumberAndIsNotNotified) {
  pay("order-1", 1000, "foreign_payment");
  advance_to("2026-03-02 00:00:01");
  std::vector<Trade> trades;
  ledger_.for_each_trade([&](const Trade& trade) { trades.push_back(trade); });
  ASSERT_EQ(trades.size(), 2u);
  EXPECT_EQ(trades[1].state, TradeState::paid);
  EXPECT_EQ(trades[1].paid, 1000);
  EXPECT_NE(trades[1].out_trade_no, "order-1");
  EXPECT_TRUE(trades[1].out_trade_no.starts_with("F")) << trades[1].out_trade_no;
  EXPECT_LE(trades[1].out_trade_no.size(), 32u) << "the maximum of WeChat Pay";
  EXPECT_EQ(notified(), Types{"trade.paid"});
}

TEST_F(StatementScenarioTest, ALatePaymentIsNotNotified) {
  create("order-1", 1000, "late_payment_unnotified");
  advance_to("2026-03-02 00:00:01");
  EXPECT_EQ(ledger_.find_trade("sandbox", "order-1")->state, TradeState::failed);
  EXPECT_EQ(notified(), Types{"trade.failed"});
  acknowledge_all();
  advance_to("2026-03-02 00:00:02");
  EXPECT_EQ(ledger_.find_trade("sandbox", "order-1")->state, TradeState::paid);
  EXPECT_EQ(notified(), Types{});
}

TEST_F(StatementScenarioTest, ALateReturnIsNotNotified) {
  const Trade trade = pay("order-1", 1000, "late_refund_failure");
  refund(trade, "refund-1", 400);
  EXPECT_EQ(ledger_.next_event_due(), at_china("2026-03-03 12:00:00"));
  advance_to("2026-03-03 12:00:00");
  EXPECT_EQ(ledger_.find_trade("sandbox", "order-1")->returned, 400);
  EXPECT_EQ(notified(), Types{"trade.paid"});
}

}  // namespace
}  // namespace finality::sandbox
