#include "decide/payment/collector.h"

#include <limits>

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

// An order whose first payment failed, and whose second payment was paid twice.
class CollectorTest : public testing::Test {
 protected:
  CollectorTest() {
    order_ = world_.new_order();
    failed_ = world_.start(order_);
    world_.record_evidence(failed_, failed());
    paid_ = world_.start(order_);
    world_.record_evidence(paid_, paid("T1"));
    world_.record_evidence(paid_, paid("T2"));
    world_.run(CreateRefund{kMerchant, paid_, 500, "R1", {}, "sandbox", kCny});
  }
  OrderAggregate& order() { return world_.aggregate(order_); }

  World world_;
  OrderId order_;
  PaymentId failed_, paid_;
};

TEST_F(CollectorTest, ReceiptsRefundsAndReversalsHaveTheCollectorOfTheirTrade) {
  const auto expect_paid = [&](const auto& row) {
    const Collector collector = collector_of(order(), row);
    EXPECT_EQ(collector.id, ObjectRef(paid_));
    EXPECT_EQ(collector.out_trade_no, world_.payment(paid_).out_trade_no);
    EXPECT_EQ(collector.amount, kAmount);
    EXPECT_TRUE(is_collected_by(row, paid_));
    EXPECT_FALSE(is_collected_by(row, failed_));
  };
  ASSERT_EQ(order().receipts.size(), 2u);
  for (const Receipt& receipt : order().receipts) expect_paid(receipt);
  expect_paid(order().refunds.at(0));
  expect_paid(order().reversals.at(0));
}

TEST_F(CollectorTest, OnlyAPaymentOfTheOrderIsACollector) {
  EXPECT_TRUE(find_collector(order(), failed_));
  EXPECT_FALSE(find_collector(order(), PaymentId{99}));
  EXPECT_FALSE(find_collector(order(), ReceiptId{paid_.value}));
  EXPECT_FALSE(is_collected_by(order().receipts[0], ReceiptId{paid_.value}));
}

TEST_F(CollectorTest, ACollectorHasAtMostOneAcceptedReceipt) {
  EXPECT_EQ(accepted_receipt_of(order(), failed_), nullptr);
  EXPECT_EQ(accepted_receipt_of(order(), paid_), &order().receipts[0]);
}

TEST_F(CollectorTest, AReceiptCountsInTheCurrencyOfItsCollectorOnly) {
  Receipt receipt = order().receipts[1];
  EXPECT_EQ(world_.payment(paid_).paid_amount, 2 * kAmount);
  receipt.currency = kUsd;
  EXPECT_TRUE(add_collected(order(), receipt));
  add_reversed(order(), receipt);
  EXPECT_EQ(world_.payment(paid_).paid_amount, 2 * kAmount);
  EXPECT_EQ(world_.payment(paid_).reversed_amount, 0);
  receipt.currency = kCny;
  EXPECT_TRUE(add_collected(order(), receipt));
  add_reversed(order(), receipt);
  EXPECT_EQ(world_.payment(paid_).paid_amount, 3 * kAmount);
  EXPECT_EQ(world_.payment(paid_).reversed_amount, kAmount);
}

TEST_F(CollectorTest, OnlyRefundsOfAnAcceptedReceiptCountInTheOrder) {
  add_refunded(order(), order().receipts[1], 300);  // in suspense
  EXPECT_EQ(order().order.refunded_amount, 0);
  add_refunded(order(), order().receipts[0], 300);
  add_refunded(order(), order().receipts[0], -100);
  EXPECT_EQ(order().order.refunded_amount, 200);
}

TEST_F(CollectorTest, OneTotalIsQueriedUntilNoReceiptNeedsIt) {
  Receipt& receipt = order().receipts[0];
  receipt.is_total_queried = true;
  plan_total_query(order(), receipt, kNow);
  EXPECT_EQ(world_.payment(paid_).query_total_of, receipt.channel_trade_no);
  EXPECT_EQ(world_.payment(paid_).due_at, kNow);
  receipt.is_total_queried = false;
  plan_total_query(order(), receipt, kNow);
  EXPECT_FALSE(world_.payment(paid_).query_total_of);
}

TEST_F(CollectorTest, OnlyAnAcceptedReceiptPaysTheOrder) {
  EXPECT_EQ(order().order.paid_amount, kAmount) << "the second receipt is in suspense";
  Receipt receipt = order().receipts[1];
  receipt.state = ReceiptState::accepted;
  EXPECT_TRUE(add_collected(order(), receipt));
  EXPECT_EQ(order().order.paid_amount, 2 * kAmount);
}

TEST_F(CollectorTest, ASumThatOverflowsIsNotChanged) {
  Receipt receipt = order().receipts[1];
  receipt.amount = std::numeric_limits<MinorUnits>::max();
  receipt.state = ReceiptState::accepted;
  EXPECT_FALSE(add_collected(order(), receipt));
  EXPECT_EQ(world_.payment(paid_).paid_amount, 2 * kAmount);
  EXPECT_EQ(order().order.paid_amount, kAmount);
}

}  // namespace
}  // namespace finality
