#include "decide/order/restore_order.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

constexpr MerchantId kMerchant{7};
constexpr OrderId kOrder{400};

class RestoreOrderTest : public testing::Test {
 protected:
  RestoreOrderTest() {
    auto whole = std::make_shared<WholeOrder>();
    whole->rows.order.id = kOrder;
    whole->rows.order.merchant_id = kMerchant;
    command_ = {kMerchant, {whole, "year-1-0a1b2c3d"}};
    ReadSet reads;
    add_reads(command_, reads);
    EXPECT_EQ(reads.orders, std::vector{kOrder});
    rows_.orders.load(kOrder, std::nullopt);
  }
  Decision run() { return decide(command_, context_); }

  RestoreOrder command_;
  WorkingSet rows_;
  IdGenerator ids_{1, Time{}};
  Policy policy_;
  Cause cause_;
  std::vector<Effect> effects_;
  std::vector<std::string> findings_;
  Context context_{rows_, ids_, policy_, Time{1}, cause_, effects_, findings_};
};

TEST_F(RestoreOrderTest, AnAbsentOrderIsRestoredOncePerBatch) {
  EXPECT_EQ(run()->object, kOrder);
  rows_.accept();
  EXPECT_EQ(run()->object, kOrder);
  rows_.accept();
  ASSERT_EQ(rows_.restored_orders.size(), 1U);
  EXPECT_EQ(rows_.restored_orders.front().archive, "year-1-0a1b2c3d");
  EXPECT_TRUE(rows_.changed());
}

TEST_F(RestoreOrderTest, AnUndoneCommandRestoresNothing) {
  EXPECT_TRUE(run());
  rows_.roll_back();
  EXPECT_TRUE(rows_.restored_orders.empty());
}

TEST_F(RestoreOrderTest, AnOrderInTheStoreStaysAsItIs) {
  rows_.orders.load(kOrder, command_.restored.order->rows);
  EXPECT_TRUE(run());
  rows_.accept();
  EXPECT_FALSE(rows_.changed());
}

TEST_F(RestoreOrderTest, TheOrderOfAnotherMerchantIsRefused) {
  command_.merchant_id = MerchantId{8};
  EXPECT_EQ(run().error().code, RefusalCode::not_found);
}

}  // namespace
}  // namespace finality
