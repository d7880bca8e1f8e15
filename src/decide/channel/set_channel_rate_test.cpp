#include "decide/channel/set_channel_rate.h"

#include "decide/channel/register_channel_account.h"
#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

struct Rates : World {
  Rates() {
    policy.channels["wechat-a"] = {.methods = {"native", "jsapi"}};
    account = add_account("wechat-a");
  }
  ChannelAccountId add_account(const std::string& channel) {
    return {run(RegisterChannelAccount{.channel = channel, .kind = "wechatpay"})->object.value};
  }
  SetChannelRate command() const {
    return {.channel_account_id = account, .basis_points = 60, .from_date = "2026-07-01"};
  }
  const ChannelRate& rate(const Decision& decision) const {
    return store.channel_rates.at(ChannelRateId{decision->object.value});
  }

  ChannelAccountId account;
};

TEST(SetChannelRate, CreatesTheRow) {
  Rates world;
  SetChannelRate command = world.command();
  command.method = "native";
  command.currency = kCny;
  command.fixed = 1;
  command.minimum = 2;
  command.maximum = 500;
  const Decision done = world.run(command);
  ASSERT_TRUE(done);
  const ChannelRate& rate = world.rate(done);
  EXPECT_EQ(rate.channel_account_id, world.account);
  EXPECT_EQ(rate.method, "native");
  EXPECT_EQ(rate.currency, kCny);
  EXPECT_EQ(rate.basis_points, 60);
  EXPECT_EQ(rate.fixed, 1);
  EXPECT_EQ(rate.minimum, 2);
  EXPECT_EQ(rate.maximum, 500);
  EXPECT_EQ(rate.from_date, "2026-07-01");
  EXPECT_EQ(rate.created_at, world.now);
  EXPECT_EQ(rate.version, 1);
  ASSERT_EQ(world.events.size(), 1u);
  EXPECT_EQ(world.events.front().event, "created");
  EXPECT_EQ(world.events.front().merchant_id, MerchantId{});
}

TEST(SetChannelRate, RefusesABankAccount) {
  Rates world;
  SetChannelRate command = world.command();
  command.channel_account_id = {
      world.run(RegisterChannelAccount{.channel = "icbc", .kind = std::string(kBankKind)})->object.value};
  const Decision refused = world.run(command);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, RefusalCode::invalid_request);
  EXPECT_EQ(refused.error().param, "channel_account");
  EXPECT_TRUE(world.store.channel_rates.empty());
}

TEST(SetChannelRate, ReplacesTheValuesOfTheRateWithTheSameKey) {
  Rates world;
  SetChannelRate command = world.command();
  command.maximum = 500;
  const Decision first = world.run(command);
  command.basis_points = 55;
  command.fixed = 3;
  command.maximum.reset();
  const Decision second = world.run(command);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->object, first->object);
  EXPECT_EQ(world.store.channel_rates.size(), 1u);
  const ChannelRate& rate = world.rate(second);
  EXPECT_EQ(rate.basis_points, 55);
  EXPECT_EQ(rate.fixed, 3);
  EXPECT_FALSE(rate.maximum);
  EXPECT_EQ(rate.version, 2);
  EXPECT_EQ(world.events.back().event, "changed");
  EXPECT_EQ(world.events.back().root_version, 2);
}

TEST(SetChannelRate, CreatesARateForEachAccountMethodCurrencyAndDate) {
  Rates world;
  const Decision first = world.run(world.command());
  const ChannelAccountId other = world.add_account("alipay-b");
  struct Row {
    const char* name;
    void (*change)(SetChannelRate&, ChannelAccountId other);
  };
  const Row rows[] = {
      {"channel account",
       [](SetChannelRate& c, ChannelAccountId other_account) { c.channel_account_id = other_account; }},
      {"method", [](SetChannelRate& c, ChannelAccountId) { c.method = "native"; }},
      {"currency", [](SetChannelRate& c, ChannelAccountId) { c.currency = kCny; }},
      {"date", [](SetChannelRate& c, ChannelAccountId) { c.from_date = "2026-07-02"; }},
  };
  std::size_t count = 1;
  for (const Row& row : rows) {
    SetChannelRate command = world.command();
    row.change(command, other);
    const Decision done = world.run(command);
    ASSERT_TRUE(done) << row.name;
    EXPECT_EQ(world.rate(done).version, 1) << row.name;
    EXPECT_EQ(world.store.channel_rates.size(), ++count) << row.name;
  }
  EXPECT_EQ(world.rate(first).version, 1);
}

TEST(SetChannelRate, RefusesUnknownAccountsAndMethods) {
  Rates world;
  struct Row {
    const char* name;
    void (*change)(SetChannelRate&);
    RefusalCode code;
    const char* param;
  };
  const Row rows[] = {
      {"account", [](SetChannelRate& c) { c.channel_account_id = ChannelAccountId{99}; }, RefusalCode::not_found,
       "channel_account"},
      {"method", [](SetChannelRate& c) { c.method = "qr"; }, RefusalCode::invalid_request, "method"},
  };
  for (const Row& row : rows) {
    SetChannelRate command = world.command();
    row.change(command);
    const Decision done = world.run(command);
    ASSERT_FALSE(done) << row.name;
    EXPECT_EQ(done.error().code, row.code) << row.name;
    EXPECT_EQ(done.error().param, row.param) << row.name;
  }
  EXPECT_TRUE(world.store.channel_rates.empty());
  EXPECT_TRUE(world.events.empty());
}

TEST(SetChannelRate, AcceptsEveryMethodOfAChannelThatIsNotConfigured) {
  Rates world;
  SetChannelRate command = world.command();
  command.channel_account_id = world.add_account("closed");
  command.method = "anything";
  EXPECT_TRUE(world.run(command));
}

}  // namespace
}  // namespace finality
