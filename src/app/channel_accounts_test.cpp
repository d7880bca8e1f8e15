#include "app/channel_accounts.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/log.h"
#include "store/memory/store.h"
#include "wire/json_renderer.h"

namespace finality::app {
namespace {

/// The part of a server that registers accounts: an engine on a store that several servers can share.
class Server {
 public:
  explicit Server(std::shared_ptr<memory::Tables> tables) : store_(std::move(tables)) {
    auto engine =
        Engine::start(store_, {.policy = &policy, .clock = &clock_, .renderer = &wire::json_renderer(), .perform = {}});
    EXPECT_TRUE(engine);
    engine_ = std::move(*engine);
  }
  ~Server() { engine_->drain(); }

  std::string start(const std::vector<ConfiguredAccount>& accounts) {
    const auto done = register_channel_accounts(*engine_, store_, accounts, policy);
    return done ? "" : done.error().message;
  }

  Policy policy;

 private:
  SystemClock clock_;
  memory::MemoryStore store_;
  std::unique_ptr<Engine> engine_;
};

class ChannelAccountsTest : public testing::Test {
 protected:
  ChannelAccountsTest() { log::set_level(log::Level::off); }
  ~ChannelAccountsTest() override { log::set_level(log::Level::info); }

  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
};

ConfiguredAccount wechat(const std::string& name, const std::string& identity) {
  ConfiguredAccount account;
  account.channel = name;
  account.kind = "wechatpay";
  account.identity = identity;
  return account;
}

TEST_F(ChannelAccountsTest, HaveTheSameIdsAtEveryStart) {
  const std::vector<ConfiguredAccount> accounts{wechat("a", "1900000001"), wechat("b", "1900000002"), wallet_account()};
  Server first(tables_);
  ASSERT_EQ(first.start(accounts), "");
  ASSERT_EQ(first.policy.accounts.size(), 3u);
  EXPECT_EQ(first.policy.accounts.at("wallet").funds, Funds::internal);
  EXPECT_NE(first.policy.account_of("a"), first.policy.account_of("b"));
  Server second(tables_);
  ASSERT_EQ(second.start(accounts), "");
  for (const auto& [name, account] : first.policy.accounts) {
    EXPECT_EQ(second.policy.account_of(name), account.id) << name;
    EXPECT_EQ(second.policy.accounts.at(name).version, 1) << "unchanged accounts keep their version";
  }
}

TEST_F(ChannelAccountsTest, AreUpdatedOnChangeAndKeptWithoutTheirSection) {
  Server server(tables_);
  ASSERT_EQ(server.start({wechat("a", "1900000001"), wechat("b", "1900000002")}), "");
  ConfiguredAccount changed = wechat("b", "1900000002");
  changed.enabled = false;
  ASSERT_EQ(server.start({changed}), "");
  EXPECT_EQ(server.policy.accounts.at("a").state, ChannelAccountState::enabled);
  EXPECT_EQ(server.policy.accounts.at("b").state, ChannelAccountState::disabled);
}

TEST_F(ChannelAccountsTest, ANameThatBecomesAnotherAccountIsAnError) {
  Server server(tables_);
  ASSERT_EQ(server.start({wechat("a", "1900000001")}), "");
  const std::string message = server.start({wechat("a", "1900000002")});
  EXPECT_TRUE(message.starts_with("channels.a: the channel a is the account cha_")) << message;
  EXPECT_TRUE(message.ends_with("of kind wechatpay at 1900000001; use another name for the new account")) << message;
}

TEST_F(ChannelAccountsTest, AnAccountThatGetsAnotherNameIsAnError) {
  Server server(tables_);
  ASSERT_EQ(server.start({wechat("a", "1900000001")}), "");
  Server renamed(tables_);
  const std::string error = renamed.start({wechat("b", "1900000001")});
  EXPECT_NE(error.find("channels.b: 1900000001 is account cha_"), std::string::npos) << error;
  EXPECT_NE(error.find(" in the store, which has the name a: use the name a"), std::string::npos) << error;
}

TEST_F(ChannelAccountsTest, BankAccountsAreRegisteredWithAMaskedNumber) {
  const ConfiguredAccount icbc = configured(BankAccountSettings{
      .name = "icbc", .currency = *parse_currency("CNY"), .number = "6222000000001234", .title = "Settlement"});
  Server server(tables_);
  note_accounts(std::vector{icbc}, server.policy);
  EXPECT_EQ(server.policy.bank_accounts.at("icbc"), parse_currency("CNY"));
  ASSERT_EQ(server.start({icbc, wallet_account()}), "");
  const ChannelAccount& row = server.policy.accounts.at("icbc");
  EXPECT_TRUE(row.is_bank());
  EXPECT_EQ(row.funds, Funds::platform);
  EXPECT_EQ(row.identity, "number=6222000000001234 currency=CNY");
  EXPECT_EQ(row.settings, R"({"currency":"CNY","number":"***1234","title":"Settlement"})");
  ASSERT_EQ(server.start({icbc, wallet_account()}), "");
  EXPECT_EQ(server.policy.accounts.at("icbc").version, 1);
}

TEST_F(ChannelAccountsTest, ABankAccountThatChangesIsAnErrorThatHidesItsNumber) {
  BankAccountSettings settings{
      .name = "icbc", .currency = *parse_currency("CNY"), .number = "6222000000001234", .title = ""};
  Server server(tables_);
  ASSERT_EQ(server.start({configured(settings)}), "");
  settings.number = "6222000000009999";
  const std::string changed = server.start({configured(settings)});
  EXPECT_TRUE(changed.starts_with("bank_accounts.icbc: the name icbc is that of the bank account cha_")) << changed;
  settings = {.name = "cmb", .currency = *parse_currency("CNY"), .number = "6222000000001234", .title = ""};
  const std::string renamed = server.start({configured(settings)});
  EXPECT_TRUE(renamed.starts_with("bank_accounts.cmb: the bank account is account cha_")) << renamed;
  EXPECT_TRUE(renamed.ends_with("which has the name icbc: use the name icbc")) << renamed;
  EXPECT_FALSE((changed + renamed).contains("6222")) << changed << renamed;
}

ConfiguredAccount bank(const std::string& name, bool enabled = true) {
  return configured(BankAccountSettings{
      .name = name, .currency = *parse_currency("CNY"), .number = "62220000" + name, .title = "", .enabled = enabled});
}

// The name of the bank account to which the channel `a` withdraws; empty: none.
std::string withdrawal_account(const std::vector<ConfiguredAccount>& accounts) {
  Policy policy;
  note_accounts(accounts, policy);
  const auto found = policy.bank_account_of("a");
  return found ? std::string(found->name) : std::string();
}

TEST(WithdrawalAccount, IsTheConfiguredOneOrTheOnlyOne) {
  ConfiguredAccount named = wechat("a", "1900000001");
  named.bank_account = "cmb";
  EXPECT_EQ(withdrawal_account({named, bank("icbc"), bank("cmb")}), "cmb");
  const ConfiguredAccount unnamed = wechat("a", "1900000001");
  EXPECT_EQ(withdrawal_account({unnamed}), "");
  EXPECT_EQ(withdrawal_account({unnamed, bank("icbc")}), "icbc");
  EXPECT_EQ(withdrawal_account({unnamed, bank("icbc"), bank("cmb")}), "");
  EXPECT_EQ(withdrawal_account({unnamed, bank("icbc"), bank("cmb", false)}), "icbc");
  ConfiguredAccount of_merchant = unnamed;
  of_merchant.funds = Funds::merchant;
  EXPECT_EQ(withdrawal_account({of_merchant, bank("icbc")}), "");
}

TEST_F(ChannelAccountsTest, TheBankAccountOfAChannelHasTheStoredId) {
  const std::vector accounts{wechat("a", "1900000001"), bank("icbc"), wallet_account()};
  Server server(tables_);
  note_accounts(accounts, server.policy);
  ASSERT_EQ(server.start(accounts), "");
  const auto found = server.policy.bank_account_of("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, server.policy.account_of("icbc"));
  EXPECT_NE(found->id, ChannelAccountId{});
  EXPECT_EQ(found->currency, *parse_currency("CNY"));
  EXPECT_FALSE(server.policy.bank_account_of("wallet"));
  EXPECT_FALSE(server.policy.bank_account_of("icbc"));
}

TEST_F(ChannelAccountsTest, AreMadeOnceBySeveralServersThatStartTogether) {
  std::vector<ConfiguredAccount> accounts;
  for (int i = 0; i < 8; ++i) accounts.push_back(wechat("account-" + std::to_string(i), std::to_string(i)));
  Server one(tables_);
  Server other(tables_);
  std::string failure;
  std::jthread beside([&] { failure = other.start(accounts); });
  EXPECT_EQ(one.start(accounts), "");
  beside.join();
  EXPECT_EQ(failure, "");
  ASSERT_EQ(one.policy.accounts.size(), accounts.size());
  for (const auto& [name, account] : one.policy.accounts) EXPECT_EQ(other.policy.account_of(name), account.id) << name;
}

TEST_F(ChannelAccountsTest, MoreThanTheLimitAreAnError) {
  Server server(tables_);
  for (std::size_t i = 0; i < limits::kChannelAccountsMax; ++i) {
    const ChannelAccountId id{static_cast<std::int64_t>(i) + 1};
    tables_->of<ChannelAccount>()[id] = {.id = id, .channel = std::to_string(i)};
  }
  EXPECT_TRUE(server.start({wechat("a", "1900000001")}).contains("accounts, the maximum"));
  EXPECT_EQ(server.start({wechat("7", "1900000001")}), "") << "a registered account";
}

TEST_F(ChannelAccountsTest, AreCheckedWithoutBeingWritten) {
  Server server(tables_);
  ASSERT_EQ(server.start({wechat("a", "1900000001")}), "");
  std::vector<ChannelAccount> rows;
  for (const auto& [name, row] : server.policy.accounts) rows.push_back(row);
  EXPECT_TRUE(check_channel_accounts(rows, std::vector{wechat("a", "1900000001"), wechat("b", "2")}).empty());
  const auto errors =
      check_channel_accounts(rows, std::vector{wechat("a", "1900000002"), wechat("b", "1900000001"), wechat("c", "3")});
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_TRUE(errors[0].starts_with("channels.a: ") && errors[0].contains("use another name for the new account"));
  EXPECT_TRUE(errors[1].starts_with("channels.b: ") && errors[1].ends_with("use the name a"));
  EXPECT_EQ(tables_->of<ChannelAccount>().size(), 1u);
}

TEST_F(ChannelAccountsTest, TheWalletDoesNotCountForTheLimit) {
  std::vector<ConfiguredAccount> accounts{wallet_account()};
  for (std::size_t i = 0; i < limits::kChannelAccountsMax; ++i)
    accounts.push_back(wechat("a" + std::to_string(i), std::to_string(i)));
  EXPECT_TRUE(check_channel_accounts({}, accounts).empty());
  accounts.push_back(wechat("b", "b"));
  const auto errors = check_channel_accounts({}, accounts);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(errors[0].contains("the store has 1000 accounts, the maximum"));
}

TEST_F(ChannelAccountsTest, AreInThePolicyBeforeTheStoreIsOpen) {
  Policy policy;
  ConfiguredAccount account = wechat("a", "1900000001");
  account.merchants = "mer_0000000000007";
  note_accounts(std::vector{account}, policy);
  EXPECT_EQ(policy.accounts.at("a").kind, "wechatpay");
  EXPECT_TRUE(policy.accounts.at("a").serves(MerchantId{7}));
  EXPECT_FALSE(policy.accounts.at("a").serves(MerchantId{8}));
}

}  // namespace
}  // namespace finality::app
