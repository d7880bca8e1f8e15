#include "store/archive/channel_accounts.h"

#include <gtest/gtest.h>

namespace finality::store {
namespace {

WholeOrder order_over(const std::vector<std::string>& channels) {
  WholeOrder order;
  for (const std::string& channel : channels) {
    const PaymentId payment{static_cast<std::int64_t>(order.rows.payments.size()) + 1};
    order.rows.payments.push_back({.id = payment, .channel = channel});
    order.rows.receipts.push_back({.payment_id = payment, .channel = channel});
    order.rows.refunds.push_back({.payment_id = payment});
    order.rows.reversals.push_back({.payment_id = payment});
  }
  return order;
}

const ChannelAccount kAccounts[] = {{.id = ChannelAccountId{1}, .channel = "alipay"},
                                    {.id = ChannelAccountId{2}, .channel = "wechat-a"}};

TEST(ArchivedChannelAccounts, AreThoseOfThePaymentsChannels) {
  WholeOrder order = order_over({"wechat-a", "alipay"});
  EXPECT_TRUE(lacks_channel_accounts(order));
  ASSERT_TRUE(give_channel_accounts(kAccounts, order));
  EXPECT_FALSE(lacks_channel_accounts(order));
  for (std::size_t i = 0; i < 2; ++i) {
    const ChannelAccountId account{i == 0 ? 2 : 1};
    EXPECT_EQ(order.rows.payments[i].channel_account_id, account);
    EXPECT_EQ(order.rows.receipts[i].channel_account_id, account);
    EXPECT_EQ(order.rows.refunds[i].channel_account_id, account);
    EXPECT_EQ(order.rows.reversals[i].channel_account_id, account);
  }
}

TEST(ArchivedChannelAccounts, OfAChannelWithoutAnAccountAreAnErrorThatNamesIt) {
  WholeOrder order = order_over({"alipay", "gone"});
  const auto given = give_channel_accounts(kAccounts, order);
  ASSERT_FALSE(given);
  EXPECT_NE(given.error().message.find("the channel gone of pay_"), std::string::npos) << given.error().message;
}

}  // namespace
}  // namespace finality::store
