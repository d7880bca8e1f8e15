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

// An order with manual capture, one authorization and one succeeded capture of 700 with its receipt.
OrderAggregate captured_order() {
  OrderAggregate order;
  order.order = {.id = OrderId{1}, .merchant_id = kMerchant, .amount = kAmount, .currency = kCny};
  order.authorizations.push_back({.id = AuthorizationId{2},
                                  .order_id = OrderId{1},
                                  .merchant_id = kMerchant,
                                  .channel = "sandbox",
                                  .channel_account_id = ChannelAccountId{9},
                                  .method = "redirect",
                                  .amount = kAmount,
                                  .currency = kCny});
  order.captures.push_back({.id = CaptureId{3},
                            .order_id = OrderId{1},
                            .authorization_id = AuthorizationId{2},
                            .merchant_id = kMerchant,
                            .ordinal = 1,
                            .amount = 700,
                            .currency = kCny,
                            .out_trade_no = out_capture_no(kMerchant, OrderId{1}, 1)});
  Receipt receipt{.id = ReceiptId{4}, .order_id = OrderId{1}, .channel_trade_no = "T1", .amount = 700};
  set_collector(receipt, CaptureId{3});
  receipt.currency = kCny;
  receipt.state = ReceiptState::accepted;
  order.receipts.push_back(receipt);
  return order;
}

TEST(CollectorOfACapture, HasTheNumberOfTheCaptureAndTheChannelOfTheAuthorization) {
  const OrderAggregate order = captured_order();
  const Collector collector = collector_of(order, order.receipts[0]);
  EXPECT_EQ(collector.id, ObjectRef(CaptureId{3}));
  EXPECT_EQ(collector.out_trade_no, order.captures[0].out_trade_no);
  EXPECT_EQ(collector.channel, "sandbox");
  EXPECT_EQ(collector.channel_account_id, ChannelAccountId{9});
  EXPECT_EQ(collector.amount, 700);
  EXPECT_EQ(order.receipts[0].payment_id, PaymentId{});
  EXPECT_FALSE(find_collector(order, CaptureId{99}));
  EXPECT_FALSE(find_collector(order, AuthorizationId{2}));
}

TEST(CollectorOfACapture, SumsItsReceiptsInTheCaptureTheAuthorizationAndTheOrder) {
  OrderAggregate order = captured_order();
  Receipt suspended = order.receipts[0];
  suspended.state = ReceiptState::suspense;
  EXPECT_TRUE(add_collected(order, order.receipts[0]));
  EXPECT_TRUE(add_collected(order, suspended));
  add_reversed(order, suspended);
  EXPECT_EQ(order.captures[0].paid_amount, 1400);
  EXPECT_EQ(order.captures[0].reversed_amount, 700);
  EXPECT_EQ(order.authorizations[0].captured_amount, 700);
  EXPECT_EQ(order.order.paid_amount, 700);
}

TEST(CollectorOfACapture, HasTheRefundsOfItsAcceptedReceiptAndTheFee) {
  OrderAggregate order = captured_order();
  Receipt suspended = order.receipts[0];
  suspended.state = ReceiptState::suspense;
  add_refunded(order, order.receipts[0], 300);
  add_refunded(order, order.receipts[0], -100);
  add_refunded(order, suspended, 50);
  set_fee(order, order.receipts[0], 7, true);
  EXPECT_EQ(order.captures[0].refunded_amount, 200);
  EXPECT_EQ(order.order.refunded_amount, 200);
  EXPECT_EQ(collector_of(order, order.receipts[0]).fee_amount, 7);
}

TEST(CollectorOfACapture, QueriesTheTotalOfItsTrade) {
  OrderAggregate order = captured_order();
  order.receipts[0].is_total_queried = true;
  plan_total_query(order, order.receipts[0], kNow);
  EXPECT_TRUE(order.captures[0].is_total_queried);
  EXPECT_EQ(order.captures[0].due_at, kNow);
  order.receipts[0].is_total_queried = false;
  plan_total_query(order, order.receipts[0], kNow);
  EXPECT_FALSE(order.captures[0].is_total_queried);
}

TEST(CollectorOfACapture, ASumOfItsAuthorizationThatOverflowsIsNotChanged) {
  OrderAggregate order = captured_order();
  order.authorizations[0].captured_amount = std::numeric_limits<MinorUnits>::max();
  EXPECT_FALSE(add_collected(order, order.receipts[0]));
  EXPECT_EQ(order.captures[0].paid_amount, 0);
  EXPECT_EQ(order.order.paid_amount, 0);
}

}  // namespace
}  // namespace finality
