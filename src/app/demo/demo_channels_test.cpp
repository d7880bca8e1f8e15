// Tests of the demo channels with keys created by the sandbox.
#include "app/demo/demo_channels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "app/channel_keys.h"
#include "base/testing/temporary_directory.h"
#include "sandbox/alipay/account.h"
#include "sandbox/wechatpay/account.h"

namespace finality::app {
namespace {

std::set<std::string> names_in(const boost::json::value& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.as_object()) names.insert(name);
  return names;
}

class DemoChannels : public testing::Test {
 protected:
  DemoChannels() { std::ofstream(folder_.file("sandbox.secret")) << "shared\n"; }
  bool make_keys() const {
    return sandbox::alipay::read_or_make_keys(folder_.path()).has_value() &&
           sandbox::open_wechatpay_account(folder_.path() / "wechatpay").has_value();
  }
  Result<void> add() {
    return add_demo_channels({folder_.path(), folder_.path(), "http://127.0.0.1:1"}, node_, shown_);
  }

  TemporaryDirectory folder_;
  NodeOptions node_;
  boost::json::object shown_;
};

TEST_F(DemoChannels, AreCreatedFromTheAccountsOfTheSandbox) {
  ASSERT_TRUE(make_keys());
  const auto added = add();
  ASSERT_TRUE(added) << added.error().message;
  std::vector<std::string> names;
  for (const ChannelAccountSettings& account : node_.channel_accounts) {
    names.push_back(account.channel);
    const auto made = make_channel(account, node_.policy.public_url);
    EXPECT_TRUE(made) << account.channel << ": " << made.error().message;
    if (!made) continue;
    EXPECT_TRUE((*made)->capabilities().takes_scenario) << account.channel;
    const auto& terms = (*made)->capabilities().authorization;
    EXPECT_EQ(terms && terms->shares_trade_no, account.channel == "sandbox2") << account.channel;
    ASSERT_EQ(node_.bank_accounts.size(), 1u);
    EXPECT_EQ(account.bank_account, node_.bank_accounts[0].name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"sandbox", "sandbox2", "alipay", "wechatpay"}));
}

// Users' programs read these fields of demo.json, so their names must not change.
TEST_F(DemoChannels, ShowWhatAnSdkNeeds) {
  ASSERT_TRUE(make_keys());
  ASSERT_TRUE(add());
  EXPECT_EQ(names_in(shown_), (std::set<std::string>{"alipay", "wechatpay"}));
  EXPECT_EQ(
      names_in(shown_["alipay"]),
      (std::set<std::string>{"gateway", "endpoint", "app_id", "seller_id", "merchant_private_key", "alipay_public_key",
                             "app_certificate", "alipay_certificate", "alipay_root_certificate"}));
  EXPECT_EQ(names_in(shown_["wechatpay"]), (std::set<std::string>{"base_url", "mchid", "appid", "serial", "private_key",
                                                                  "api_v3_key", "platform_keys"}));
  EXPECT_EQ(shown_["alipay"].at("gateway"), "http://127.0.0.1:1/gateway.do");
  EXPECT_EQ(shown_["wechatpay"].at("base_url"), "http://127.0.0.1:1");
  const boost::json::object& keys = shown_["wechatpay"].at("platform_keys").as_object();
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_TRUE(std::ranges::any_of(keys, [](const auto& one) { return one.key().starts_with("PUB_KEY_ID_"); }));
  for (const auto& [id, pem] : keys) EXPECT_TRUE(pem.as_string().starts_with("-----BEGIN ")) << std::string(id);
}

TEST_F(DemoChannels, AMissingFileIsNamed) {
  const auto added = add();
  ASSERT_FALSE(added);
  EXPECT_TRUE(added.error().message.contains("/alipay/merchant/account.json")) << added.error().message;
}

}  // namespace
}  // namespace finality::app
