#include "decide/channel/register_channel_account.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;
using enum ChannelAccountState;

RegisterChannelAccount wechat() {
  return {.channel = "wechat-a", .kind = "wechatpay", .identity = "mchid 1900000001", .settings = R"({"appid":"wx1"})"};
}

std::string events_of(const World& world) {
  std::string all;
  for (const Event& event : world.events)
    all +=
        fmt::format("{}{}:{}>{}", all.empty() ? "" : " ", event.event, event.from_state.value_or(""), event.to_state);
  return all;
}

ChannelAccount& only(World& world) { return world.store.channel_accounts.begin()->second; }

/// Returns a test fixture in which the channel account of the command is registered.
World registered(const RegisterChannelAccount& command = wechat()) {
  World world;
  EXPECT_TRUE(world.run(command));
  return world;
}

TEST(RegisterChannelAccount, CreatesTheRow) {
  World world = registered();
  EXPECT_EQ(events_of(world), "created:>enabled");
  const ChannelAccount& row = only(world);
  EXPECT_EQ(row.channel, "wechat-a");
  EXPECT_EQ(row.kind, "wechatpay");
  EXPECT_EQ(row.identity, "mchid 1900000001");
  EXPECT_EQ(row.settings, R"({"appid":"wx1"})");
  EXPECT_EQ(row.funds, Funds::platform);
  EXPECT_EQ(row.created_at, world.now);
  EXPECT_EQ(row.version, 1);
}

TEST(RegisterChannelAccount, CreatingADisabledAccountRecordsBothStates) {
  RegisterChannelAccount command = wechat();
  command.state = disabled;
  World world = registered(command);
  EXPECT_EQ(events_of(world), "created:>enabled disabled:enabled>disabled");
  EXPECT_EQ(only(world).version, 2);
}

TEST(RegisterChannelAccount, UpdatesChangeableFieldsAndRecordsOnlyChanges) {
  struct Row {
    const char* name;
    void (*change)(RegisterChannelAccount&);
    const char* events;
  };
  const Row rows[] = {
      {"nothing", [](RegisterChannelAccount&) {}, ""},
      {"merchants", [](RegisterChannelAccount& c) { c.merchants = to_text(kMerchant); }, "changed:enabled>enabled"},
      {"settings", [](RegisterChannelAccount& c) { c.settings = "{}"; }, "changed:enabled>enabled"},
      {"state", [](RegisterChannelAccount& c) { c.state = disabled; }, "disabled:enabled>disabled"},
      {"both",
       [](RegisterChannelAccount& c) {
         c.settings = "{}";
         c.state = disabled;
       },
       "changed:enabled>enabled disabled:enabled>disabled"},
      {"empty kind, identity and settings", [](RegisterChannelAccount& c) { c.kind = c.identity = c.settings = ""; },
       ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    World world = registered();
    RegisterChannelAccount command = wechat();
    command.known = only(world).id;
    row.change(command);
    ASSERT_TRUE(world.run(command));
    EXPECT_EQ(events_of(world), row.events);
    EXPECT_EQ(only(world).version, 1 + std::ssize(world.events));
    EXPECT_EQ(only(world).merchants, command.merchants);
    EXPECT_EQ(only(world).state, command.state);
    EXPECT_EQ(only(world).identity, "mchid 1900000001");
  }
}

TEST(RegisterChannelAccount, EnablesAgain) {
  RegisterChannelAccount command = wechat();
  command.state = disabled;
  World world = registered(command);
  command.known = only(world).id;
  command.state = enabled;
  ASSERT_TRUE(world.run(command));
  EXPECT_EQ(events_of(world), "enabled:disabled>enabled");
  EXPECT_EQ(only(world).version, 3);
}

TEST(RegisterChannelAccount, RefusesAnotherAccountUnderTheSameName) {
  struct Row {
    const char* name;
    void (*change)(RegisterChannelAccount&);
    const char* detail;
  };
  const Row rows[] = {
      {"kind", [](RegisterChannelAccount& c) { c.kind = "alipay"; },
       "of kind wechatpay at mchid 1900000001; use another name for the new account"},
      {"identity", [](RegisterChannelAccount& c) { c.identity = "mchid 1900000002"; },
       "of kind wechatpay at mchid 1900000001; use another name for the new account"},
      {"funds", [](RegisterChannelAccount& c) { c.funds = Funds::merchant; },
       " with funds of platform, which cannot change"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    World world = registered();
    RegisterChannelAccount command = wechat();
    command.known = only(world).id;
    row.change(command);
    const Decision decision = world.run(command);
    ASSERT_FALSE(decision);
    EXPECT_EQ(decision.error().code, RefusalCode::reference_conflict);
    EXPECT_TRUE(decision.error().detail.contains(row.detail)) << decision.error().detail;
    EXPECT_TRUE(decision.error().detail.starts_with("the channel wechat-a is the account cha_"));
    EXPECT_EQ(only(world).version, 1);
  }
}

TEST(RegisterChannelAccount, ANameIsOfAChannelOrOfABankAccount) {
  RegisterChannelAccount bank = wechat();
  bank.kind = kBankKind;
  bank.identity = "number=6222000000001234 currency=CNY";
  World of_channel = registered();
  bank.known = only(of_channel).id;
  const Decision taken_by_channel = of_channel.run(bank);
  ASSERT_FALSE(taken_by_channel);
  EXPECT_EQ(taken_by_channel.error().code, RefusalCode::reference_conflict);
  EXPECT_TRUE(taken_by_channel.error().detail.contains("of kind wechatpay"));

  bank.known = {};
  World of_bank = registered(bank);
  EXPECT_TRUE(only(of_bank).is_bank());
  EXPECT_FALSE(only(of_bank).serves(kMerchant));
  RegisterChannelAccount other_currency = bank;
  other_currency.identity = "number=6222000000001234 currency=USD";
  for (RegisterChannelAccount command : {wechat(), other_currency}) {
    command.known = only(of_bank).id;
    const Decision taken_by_bank = of_bank.run(command);
    ASSERT_FALSE(taken_by_bank);
    EXPECT_EQ(taken_by_bank.error().code, RefusalCode::reference_conflict);
    const std::string& detail = taken_by_bank.error().detail;
    EXPECT_TRUE(detail.starts_with("the name wechat-a is that of the bank account cha_")) << detail;
    EXPECT_FALSE(detail.contains("6222")) << detail;
  }
}

TEST(RegisterChannelAccount, SetsAnIdentityThatWasEmpty) {
  RegisterChannelAccount command = wechat();
  command.kind = command.identity = "";
  World world = registered(command);
  command = wechat();
  command.known = only(world).id;
  ASSERT_TRUE(world.run(command));
  EXPECT_EQ(events_of(world), "changed:enabled>enabled");
  EXPECT_EQ(only(world).identity, "mchid 1900000001");
}

TEST(RegisterChannelAccount, RefusesAnIdOfAnotherChannel) {
  World world = registered();
  RegisterChannelAccount command = wechat();
  command.known = only(world).id;
  command.channel = "alipay";
  EXPECT_EQ(world.refusal_of(command), "not_found");
  command.known = ChannelAccountId{99};
  EXPECT_EQ(world.refusal_of(command), "not_found");
}

}  // namespace
}  // namespace finality
