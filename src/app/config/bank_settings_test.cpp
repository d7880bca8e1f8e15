// Tests of the configuration of bank accounts, and of the channels that withdraw to them.
#include "app/config/bank_settings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/config/config.h"
#include "app/config/test_config.h"
#include "base/testing/temporary_directory.h"

namespace finality::app {
namespace {

const std::string kRequired = "store = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n";
const std::string kNumber =
    "bank_accounts.icbc.number must be the account number as in the statements of the bank: 4 to 34 letters, digits, - "
    "and /, without spaces";

std::string bank(const std::string& name, const std::string& rest = "") {
  return "[bank_accounts." + name + "]\ncurrency = \"CNY\"\nnumber = \"6222000000001234\"\n" + rest;
}

class BankSettings : public testing::Test {
 protected:
  Result<NodeOptions> read(const std::string& text) const {
    std::ofstream(config()) << kRequired << text;
    return read_config(config());
  }
  std::string complaint_about(const std::string& text) const {
    const auto options = read(text);
    return options ? "nothing" : without_place(options.error(), config());
  }
  std::string sandbox(const std::string& name, const std::string& rest) const {
    const std::string secret = folder_.file("secret");
    std::ofstream(secret) << "secret";
    return "[channels." + name + "]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090\"\nsecret_file = \"" + secret +
           "\"\n" + rest;
  }
  std::string config() const { return folder_.file("finality.toml"); }

  TemporaryDirectory folder_;
};

TEST_F(BankSettings, AreRead) {
  const auto options =
      read(bank("icbc", "title = \"Settlement account\"\nenabled = false\nexpected_within_days = 3\n") +
           "[bank_accounts.deutsche]\ncurrency = \"EUR\"\nnumber = \"DE02120300000000202051\"\n" +
           sandbox("sandbox", "bank_account = \"deutsche\"\n"));
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->bank_accounts.size(), 2u);
  const BankAccountSettings& deutsche = options->bank_accounts[0];
  EXPECT_EQ(deutsche.name, "deutsche");
  EXPECT_EQ(identity_of(deutsche), "number=DE02120300000000202051 currency=EUR");
  EXPECT_EQ(deutsche.title, "");
  EXPECT_TRUE(deutsche.enabled);
  EXPECT_FALSE(deutsche.expected_within);
  const BankAccountSettings& icbc = options->bank_accounts[1];
  EXPECT_EQ(icbc.title, "Settlement account");
  EXPECT_FALSE(icbc.enabled);
  EXPECT_EQ(icbc.expected_within, std::chrono::days(3));
  EXPECT_EQ(options->channel_accounts.at(0).bank_account, "deutsche");
}

TEST_F(BankSettings, ErrorsNameTheSetting) {
  const std::string name = " must have a name of 1 to 32 characters from a-z, 0-9 and _";
  const std::string in_euros = "[bank_accounts.icbc]\ncurrency = \"EUR\"\n";
  const std::pair<std::string, std::string> cases[] = {
      {"bank_accounts = 5\n", "bank_accounts must be a table"},
      {bank("ICBC"), "bank_accounts.ICBC" + name},
      {bank("wallet"), "bank_accounts.wallet is reserved for payments from accounts in Finality: use another name"},
      {bank("icbc", "kind = \"bank\"\n"),
       "bank_accounts.icbc.kind is not a setting; valid settings: currency, number, title, enabled, "
       "expected_within_days"},
      {"[bank_accounts.icbc]\nnumber = \"6222000000001234\"\n",
       "bank_accounts.icbc.currency is missing; it must be an ISO 4217 code in upper case, such as CNY"},
      {"[bank_accounts.icbc]\ncurrency = \"cny\"\n",
       "bank_accounts.icbc.currency must be an ISO 4217 code in upper case, such as CNY"},
      {in_euros + "number = \"DE02 1203 0000\"\n", kNumber},
      {in_euros + "number = \"123\"\n", kNumber},
      {in_euros + "number = \"" + std::string(35, '1') + "\"\n", kNumber},
      {in_euros + "number = 6222000000001234\n", kNumber},
      {bank("icbc", "title = \"\"\n"),
       "bank_accounts.icbc.title must be a non-empty string without control characters"},
      {bank("icbc", "enabled = 1\n"), "bank_accounts.icbc.enabled must be true or false"},
      {bank("icbc", "expected_within_days = 0\n"),
       "bank_accounts.icbc.expected_within_days must be an integer from 1 to 30"},
      {bank("icbc", "expected_within_days = 31\n"),
       "bank_accounts.icbc.expected_within_days must be an integer from 1 to 30"},
      {bank("a") + bank("b"),
       "bank_accounts.b is the same account as bank_accounts.a: both have this number and currency"},
  };
  for (const auto& [config, complaint] : cases) EXPECT_EQ(complaint_about(config), complaint) << config;
}

TEST_F(BankSettings, OneNumberCanHaveAccountsInSeveralCurrencies) {
  EXPECT_EQ(complaint_about(bank("icbc") + "[bank_accounts.icbc_usd]\ncurrency = \"USD\"\n"
                                           "number = \"6222000000001234\"\n"),
            "nothing");
}

TEST_F(BankSettings, AChannelWithdrawsToAnEnabledBankAccountOfThePlatform) {
  EXPECT_EQ(
      complaint_about(sandbox("sandbox", "bank_account = \"icbc\"\n")),
      "channels.sandbox.bank_account must be the name of a bank account, but [bank_accounts.icbc] does not exist");
  EXPECT_EQ(complaint_about(bank("icbc", "enabled = false\n") + sandbox("sandbox", "bank_account = \"icbc\"\n")),
            "channels.sandbox.bank_account must not be icbc, which is disabled");
  EXPECT_EQ(complaint_about(bank("icbc") + sandbox("sandbox", "bank_account = \"icbc\"\nfunds = \"merchant\"\n")),
            "channels.sandbox.bank_account is only allowed with funds = \"platform\"");
}

TEST_F(BankSettings, AChannelAndABankAccountHaveDifferentNames) {
  EXPECT_EQ(complaint_about(sandbox("sandbox", "") + bank("sandbox")),
            "channels.sandbox has the name of the bank account bank_accounts.sandbox: use another name");
}

}  // namespace
}  // namespace finality::app
