// Tests of the configuration of channels, their keys, and routes.
#include "app/config/channel_settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/channel_keys.h"
#include "app/config/config.h"
#include "app/config/route_settings.h"
#include "app/config/test_config.h"
#include "base/crypto/rsa.h"
#include "base/log.h"
#include "base/testing/temporary_directory.h"
#include "channel/wechatpay/channel.h"
#include "sandbox/alipay/account.h"
#include "sandbox/wechatpay/account.h"

namespace finality::app {
namespace {

namespace fs = std::filesystem;

const std::string kRequired = "store = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n";
constexpr const char* kVariable = "FINALITY_CHANNEL_TEST_KEY";

/// Keys of the sandbox's channels, created once for all tests.
struct SandboxKeys {
  SandboxKeys() {
    if (!sandbox::alipay::read_or_make_keys(directory.path())) std::abort();
    if (!sandbox::open_wechatpay_account(directory.path() / "wechatpay")) std::abort();
  }
  TemporaryDirectory directory;
};
const fs::path& keys_directory() {
  static const SandboxKeys keys;
  return keys.directory.path();
}

std::string alipay_file(const std::string& name) { return (keys_directory() / "alipay/merchant" / name).string(); }
std::string wechatpay_file(const std::string& name) {
  return (keys_directory() / "wechatpay/merchant" / name).string();
}
std::string setting(const std::string& name, const std::string& text) { return name + " = \"" + text + "\"\n"; }

std::string alipay(const std::string& keys) {
  return "[channels.alipay]\nkind = \"alipay\"\napp_id = \"2021\"\nseller_id = \"2088\"\n" + keys;
}
std::string alipay_keys() {
  return setting("private_key_file", alipay_file("app_private_key.pem")) +
         setting("alipay_public_key_file", alipay_file("alipay_public_key.pem"));
}
std::string alipay_certificates() {
  return setting("private_key_file", alipay_file("app_private_key.pem")) +
         setting("app_certificate_file", alipay_file("app_certificate.pem")) +
         setting("alipay_certificates_file", alipay_file("alipay_certificate.pem")) +
         setting("root_certificates_file", alipay_file("alipay_root_certificate.pem"));
}
std::string wechatpay(const std::string& rest) {
  return "[channels.wechatpay]\nkind = \"wechatpay\"\nmchid = \"1900000001\"\nappid = \"wx1\"\n" +
         setting("private_key_file", wechatpay_file("private_key.pem")) +
         setting("certificate_file", wechatpay_file("certificate.pem")) + rest;
}
std::string wechatpay_keys() {
  return setting("api_v3_key_file", wechatpay_file("api_v3_key")) +
         setting("platform_certificates_file", wechatpay_file("platform_certificate.pem")) +
         "public_keys = { PUB_KEY_ID_1 = \"" + wechatpay_file("wechatpay_public_key.pem") + "\" }\n";
}

std::string sandbox(const std::string& name, const std::string& rest = "") {
  return "[channels." + name + "]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090\"\n" +
         setting("secret_file", wechatpay_file("api_v3_key")) + rest;
}

class ChannelSettings : public testing::Test {
 protected:
  ChannelSettings() { ::unsetenv(kVariable); }
  ~ChannelSettings() override { ::unsetenv(kVariable); }

  Result<NodeOptions> read(const std::string& text) const {
    std::ofstream(config()) << kRequired << text;
    return read_config(config());
  }
  std::string complaint_about(const std::string& text) const {
    const auto options = read(text);
    return options ? "nothing" : without_place(options.error(), config());
  }

  std::string config() const { return folder_.file("finality.toml"); }

  TemporaryDirectory folder_;
};

TEST_F(ChannelSettings, AlipayIsReadInBothModes) {
  const auto options = read(alipay(alipay_keys()));
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->channel_accounts.size(), 1u);
  const ChannelAccountSettings& settings = options->channel_accounts[0];
  EXPECT_EQ(settings.channel, "alipay");
  EXPECT_EQ(settings.kind->name, "alipay");
  EXPECT_EQ(settings.values.text("url"), "https://openapi.alipay.com/gateway.do");
  EXPECT_EQ(settings.values.text("app_id"), "2021");
  EXPECT_EQ(settings.values.text("seller_id"), "2088");
  EXPECT_FALSE(settings.values.flag("sandbox"));
  EXPECT_EQ(key_files(settings),
            (std::vector{alipay_file("app_private_key.pem"), alipay_file("alipay_public_key.pem")}));
  EXPECT_EQ(complaint_about(alipay(alipay_certificates())), "nothing");
  const auto other = read(alipay(alipay_keys() + "url = \"http://127.0.0.1:1/gateway.do\"\nsandbox = true\n"));
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->channel_accounts[0].values.text("url"), "http://127.0.0.1:1/gateway.do");
  EXPECT_TRUE(other->channel_accounts[0].values.flag("sandbox"));
}

TEST_F(ChannelSettings, ANumberHasADefault) {
  const auto days = [&](const std::string& text) {
    const auto options = read(alipay(alipay_keys() + text));
    EXPECT_TRUE(options) << options.error().message;
    return options ? options->channel_accounts.at(0).values.number("authorization_valid_days") : 0;
  };
  EXPECT_EQ(days(""), 7);
  EXPECT_EQ(days("authorization_valid_days = 28\n"), 28);
}

TEST_F(ChannelSettings, WechatpayIsRead) {
  const auto options = read(wechatpay(wechatpay_keys() + "fetch_certificates = true\n"));
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->channel_accounts.size(), 1u);
  const ChannelAccountSettings& settings = options->channel_accounts[0];
  EXPECT_EQ(settings.values.text("url"), "https://api.mch.weixin.qq.com");
  EXPECT_EQ(settings.values.text("mchid"), "1900000001");
  EXPECT_EQ(settings.values.text("appid"), "wx1");
  EXPECT_TRUE(settings.values.flag("fetch_certificates"));
  EXPECT_EQ(key_files(settings).size(), 5u);
  const auto keys = wechatpay_keys_of(*read_texts(settings));
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->public_keys.at(0).id, "PUB_KEY_ID_1");
  EXPECT_EQ(keys->platform_certificates.size(), 1u);
}

TEST_F(ChannelSettings, AKeyCanComeFromTheEnvironment) {
  ::setenv(kVariable, "0123456789abcdef0123456789abcdef\n", 1);
  const std::string text = wechatpay(setting("api_v3_key_env", kVariable) +
                                     setting("platform_certificates_file", wechatpay_file("platform_certificate.pem")));
  const auto options = read(text);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(read_texts(options->channel_accounts[0])->secret("api_v3_key").reveal(),
            "0123456789abcdef0123456789abcdef");
  ::unsetenv(kVariable);
  EXPECT_EQ(complaint_about(text), std::string("channels.wechatpay.api_v3_key_env names the environment variable ") +
                                       kVariable + ", which is not set");
}

TEST_F(ChannelSettings, ErrorsNameTheSetting) {
  const std::string text = " must be a non-empty string without control characters";
  const std::pair<std::string, std::string> cases[] = {
      {"[channels.alipay]\nkind = \"alipay\"\n", "channels.alipay.app_id is missing; it" + text},
      {alipay(""), "channels.alipay.private_key_file or private_key_env must provide the application's private key"},
      {alipay(setting("private_key_file", alipay_file("app_private_key.pem"))),
       "channels.alipay.app_certificate_file must name the file with the application's certificate; or set "
       "alipay_public_key_file to use Alipay's public key"},
      {alipay(alipay_keys() + setting("root_certificates_file", "x")),
       "channels.alipay.root_certificates_file must not be set together with alipay_public_key_file"},
      {alipay(alipay_keys() + "sandbox = 1\n"), "channels.alipay.sandbox must be true or false"},
      {alipay(alipay_keys() + "secret_file = \"x\"\n"),
       "channels.alipay.secret_file is not a setting; valid settings: kind, merchants, funds, merchant_currency, "
       "bank_account, enabled, url, sandbox, app_id, seller_id, authorization_valid_days, private_key_file, "
       "private_key_env, "
       "alipay_public_key_file, app_certificate_file, "
       "alipay_certificates_file, root_certificates_file"},
      {alipay(setting("private_key_file", "/no/such/file") + setting("alipay_public_key_file", "x")),
       "channels.alipay.private_key_file must contain the application's private key: cannot read /no/such/file: No "
       "such file or directory"},
      {alipay(setting("private_key_file", "/dev/null") + setting("alipay_public_key_file", "x")),
       "channels.alipay.private_key_file must contain the application's private key: /dev/null is empty"},
      {alipay(alipay_keys() + "authorization_valid_days = 0\n"),
       "channels.alipay.authorization_valid_days must be a whole number from 1 to 365"},
      {alipay(alipay_keys() + "authorization_valid_days = 366\n"),
       "channels.alipay.authorization_valid_days must be a whole number from 1 to 365"},
      {alipay(alipay_keys() + "authorization_valid_days = \"7\"\n"),
       "channels.alipay.authorization_valid_days must be a whole number from 1 to 365"},
      {sandbox("sandbox") + "captures = \"one\"\n", "channels.sandbox.captures must be \"separate\" or \"shared\""},
      {wechatpay(""), "channels.wechatpay.api_v3_key_file or api_v3_key_env must provide the APIv3 key"},
      {"[channels.wallet]\nkind = \"sandbox\"\n",
       "channels.wallet is reserved for payments from accounts in Finality: use another name"},
      {wechatpay(wechatpay_keys() + "fetch_certificates = \"yes\"\n"),
       "channels.wechatpay.fetch_certificates must be true or false"},
  };
  for (const auto& [config, complaint] : cases) EXPECT_EQ(complaint_about(config), complaint) << config;
}

// The files of a key and its certificate are replaced one after the other, so they do not match for a moment.
TEST_F(ChannelSettings, AMerchantsCertificateMustMatchItsPrivateKey) {
  const std::string others = "[channels.wechatpay]\nkind = \"wechatpay\"\nmchid = \"1900000001\"\nappid = \"wx1\"\n" +
                             setting("private_key_file", wechatpay_file("private_key.pem")) +
                             setting("certificate_file", wechatpay_file("platform_certificate.pem")) + wechatpay_keys();
  EXPECT_EQ(complaint_about(others), "channels.wechatpay cannot be used: certificate_file (" +
                                         wechatpay_file("platform_certificate.pem") +
                                         "): the merchant's certificate does not match the private key");
}

TEST_F(ChannelSettings, AnInvalidKeyIsNamedButNeverShown) {
  const fs::path broken = folder_.file("broken.pem");
  std::ofstream(broken) << "-----BEGIN PRIVATE KEY-----\ntop secret\n";
  const std::string complaint =
      complaint_about(alipay(setting("private_key_file", broken.string()) +
                             setting("alipay_public_key_file", alipay_file("alipay_public_key.pem"))));
  EXPECT_TRUE(complaint.starts_with("channels.alipay cannot be used: ")) << complaint;
  EXPECT_TRUE(complaint.contains("private_key_file (" + broken.string() + "): not an RSA private key")) << complaint;
  EXPECT_FALSE(complaint.contains("top secret")) << complaint;
}

TEST_F(ChannelSettings, AlipaysKeyIsNotTheApplicationsOwn) {
  const std::string own = folder_.file("own.pem");
  std::ifstream file(alipay_file("app_private_key.pem"));
  const std::string pem{std::istreambuf_iterator<char>(file), {}};
  std::ofstream(own) << RsaPrivateKey::parse(Secret(pem))->public_key().to_pem();
  const std::string complaint = complaint_about(
      alipay(setting("private_key_file", alipay_file("app_private_key.pem")) + setting("alipay_public_key_file", own)));
  EXPECT_TRUE(complaint.contains("alipay_public_key_file (" + own + "): this is the application's own public key"))
      << complaint;
}

TEST_F(ChannelSettings, AnApiV3KeyOfWrongLengthIsNamedWithItsVariable) {
  ::setenv(kVariable, "short", 1);
  const std::string complaint =
      complaint_about(wechatpay(setting("api_v3_key_env", kVariable) + "fetch_certificates = true\n"));
  EXPECT_EQ(complaint, std::string("channels.wechatpay cannot be used: api_v3_key_env (") + kVariable +
                           "): the APIv3 key must have exactly 32 bytes, not 5");
}

TEST_F(ChannelSettings, ExpiredCertificatesAreReportedAndRejectedOnlyIfNoneIsValid) {
  const auto options = read(wechatpay(wechatpay_keys()));
  ASSERT_TRUE(options) << options.error().message;
  ChannelAccountSettings settings = options->channel_accounts[0];
  const Time late = SystemClock().now() + std::chrono::days(365 * 100);
  EXPECT_TRUE(expired_certificates(settings, SystemClock().now())->empty());
  const auto expired = expired_certificates(settings, late);
  ASSERT_TRUE(expired) << "a public key never expires";
  ASSERT_EQ(expired->size(), 2u);
  EXPECT_TRUE(expired->at(0).contains("platform_certificates_file (")) << expired->at(0);
  EXPECT_TRUE(expired->at(0).contains(" expired on 20")) << expired->at(0);
  EXPECT_TRUE(expired->at(1).starts_with("certificate_file (" + wechatpay_file("certificate.pem"))) << expired->at(1);
  settings.tables["public_keys"].clear();
  EXPECT_FALSE(expired_certificates(settings, late));
  settings.values.set("fetch_certificates", true);
  EXPECT_TRUE(expired_certificates(settings, late));
}

TEST_F(ChannelSettings, AnUnusableTextOfATableIsNamedWithItsIdAndFile) {
  const std::string head = setting("api_v3_key_file", wechatpay_file("api_v3_key"));
  EXPECT_EQ(complaint_about(wechatpay(head + "public_keys = { PUB_KEY_ID_1 = \"/no/such/file\" }\n")),
            "channels.wechatpay.public_keys.PUB_KEY_ID_1 cannot be used: cannot read /no/such/file: No such file or "
            "directory");
  const std::string file = wechatpay_file("api_v3_key");
  const std::string complaint =
      complaint_about(wechatpay(head + "public_keys = { PUB_KEY_ID_1 = \"" + file + "\" }\n"));
  EXPECT_TRUE(complaint.starts_with("channels.wechatpay cannot be used: public_keys.PUB_KEY_ID_1 (" + file + "): "))
      << complaint;
}

// ---- Settings common to all kinds

TEST_F(ChannelSettings, MerchantsAndFundsOfAnAccountAreRead) {
  const std::string one = to_text(MerchantId{7}), other = to_text(MerchantId{8});
  const auto options = read(sandbox("a") + sandbox("b", "merchants = [\"" + one + "\", \"" + other +
                                                            "\"]\nfunds = \"merchant\"\nenabled = false\n"));
  ASSERT_TRUE(options) << options.error().message;
  const ChannelAccountSettings& plain = options->channel_accounts.at(0);
  EXPECT_TRUE(plain.merchants.empty()) << "all merchants";
  EXPECT_EQ(plain.funds, Funds::platform);
  EXPECT_TRUE(plain.enabled);
  const ChannelAccountSettings& narrow = options->channel_accounts.at(1);
  EXPECT_EQ(narrow.merchants, (std::vector{MerchantId{7}, MerchantId{8}}));
  EXPECT_EQ(narrow.funds, Funds::merchant);
  EXPECT_FALSE(narrow.enabled);
}

TEST_F(ChannelSettings, ErrorsNameTheCommonSetting) {
  const std::string merchant = "\"" + to_text(MerchantId{7}) + "\"";
  const std::string ids =
      "channels.a.merchants must be a non-empty list of distinct merchant ids (mer_…); omit the setting to allow all "
      "merchants";
  const std::string funds = "channels.a.funds must be \"platform\", \"merchant\" or \"internal\"";
  const std::pair<std::string, std::string> cases[] = {
      {"merchants = []\n", ids},
      {"merchants = " + merchant + "\n", ids},
      {"merchants = [5]\n", ids},
      {"merchants = [\"mer_?\"]\n", ids},
      {"merchants = [\"" + to_text(OrderId{7}) + "\"]\n", ids},
      {"merchants = [" + merchant + ", " + merchant + "]\n", ids},
      {"funds = \"ours\"\n", funds},
      {"funds = true\n", funds},
      {"enabled = \"no\"\n", "channels.a.enabled must be true or false"},
  };
  for (const auto& [rest, complaint] : cases) EXPECT_EQ(complaint_about(sandbox("a", rest)), complaint) << rest;
}

std::string named(const std::string& text, const std::string& name, const std::string& from, const std::string& to) {
  std::string other = text;
  other.replace(other.find('.') + 1, other.find(']') - other.find('.') - 1, name);
  return other.replace(other.find(from), from.size(), to);
}

TEST_F(ChannelSettings, OneKindCanHaveSeveralAccounts) {
  const std::string first = wechatpay(wechatpay_keys());
  const auto options =
      read(first + named(first, "app", "wx1", "wx2") + named(first, "mini", "1900000001", "1900000002"));
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->channel_accounts.size(), 3u);
  std::set<std::string> identities;
  for (const ChannelAccountSettings& account : options->channel_accounts) {
    EXPECT_EQ(account.kind->name, "wechatpay");
    const auto made = make_channel(account, "https://pay.example");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ((*made)->name(), account.channel);
    identities.insert(identity_of(account));
  }
  EXPECT_EQ(identities, (std::set<std::string>{"mchid=1900000001 appid=wx1", "mchid=1900000001 appid=wx2",
                                               "mchid=1900000002 appid=wx1"}));
}

TEST_F(ChannelSettings, TheSameAccountTwiceIsRefusedWithBothNames) {
  const std::string first = wechatpay(wechatpay_keys());
  EXPECT_EQ(complaint_about(first + named(first, "again", "wx1", "wx1")),
            "channels.wechatpay is the same account as channels.again: both have kind wechatpay and "
            "mchid=1900000001 appid=wx1");
  const std::string certificates = alipay(alipay_certificates());
  EXPECT_EQ(complaint_about(alipay(alipay_keys()) + named(certificates, "other", "2021", "2021")),
            "channels.other is the same account as channels.alipay: both have kind alipay and app_id=2021");
  EXPECT_EQ(complaint_about(sandbox("sandbox") + sandbox("sandbox2")), "nothing") << "NAME is part of the identity";
}

// ---- Replacement of keys

TEST_F(ChannelSettings, TextsAreReadAgainAndUnusableTextsChangeNothing) {
  const std::string file = folder_.file("secret");
  std::ofstream(file) << "first\n";
  const auto options =
      read("[channels.sandbox]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090\"\n" + setting("secret_file", file));
  ASSERT_TRUE(options) << options.error().message;
  const ChannelAccountSettings& account = options->channel_accounts.at(0);
  const auto channel = std::move(*make_channel(account, "https://pay.example"));
  const auto signed_now = [&] {
    return channel->request_of(ChannelCall{.kind = ChannelCallKind::query_payment}, Time{1}).http.headers.fields();
  };
  const auto before = signed_now();
  EXPECT_TRUE(load_keys(*channel, account));
  EXPECT_EQ(signed_now(), before);
  std::ofstream(file) << "\n";
  const auto empty = load_keys(*channel, account);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message, "secret_file must contain the channel's secret: " + file + " is empty");
  EXPECT_EQ(signed_now(), before);
  std::ofstream(file) << "second\n";
  EXPECT_TRUE(load_keys(*channel, account));
  EXPECT_NE(signed_now(), before);
}

TEST_F(ChannelSettings, AnInvalidKeyLeavesTheChannelWithItsPreviousKeys) {
  const std::string file = folder_.file("alipay.pem");
  fs::copy_file(alipay_file("alipay_public_key.pem"), file);
  const auto options = read(alipay(setting("private_key_file", alipay_file("app_private_key.pem")) +
                                   setting("alipay_public_key_file", file)));
  ASSERT_TRUE(options) << options.error().message;
  const ChannelAccountSettings& account = options->channel_accounts.at(0);
  const auto channel = std::move(*make_channel(account, "https://pay.example"));
  std::ofstream(file) << "no key";
  const auto loaded = load_keys(*channel, account);
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(loaded.error().message.starts_with("alipay_public_key_file (" + file + "): ")) << loaded.error().message;
}

// ---- Routes

TEST_F(ChannelSettings, RoutesAreReadInTheirOrder) {
  const auto options = read(R"(
[[routes]]
channels = ["alipay:qr", "wechatpay"]
method = "scan"
currency = "CNY"
amount_min = 1
amount_max = 5000
[[routes]]
channels = ["sandbox"]
)");
  ASSERT_TRUE(options) << options.error().message;
  const std::vector<PaymentRoute>& routes = options->policy.routes;
  ASSERT_EQ(routes.size(), 2u);
  ASSERT_EQ(routes[0].targets.size(), 2u);
  EXPECT_EQ(routes[0].targets[0].channel, "alipay");
  EXPECT_EQ(routes[0].targets[0].method, "qr");
  EXPECT_EQ(routes[0].targets[1].channel, "wechatpay");
  EXPECT_EQ(routes[0].targets[1].method, "");
  EXPECT_EQ(routes[0].method, "scan");
  EXPECT_EQ(routes[0].currency, parse_currency("CNY"));
  EXPECT_EQ(routes[0].amount_max, 5000);
  EXPECT_FALSE(routes[1].currency);
  EXPECT_EQ(routes[1].amount_min, 1);
  EXPECT_EQ(routes[1].amount_max, limits::kAmountMax);
}

TEST_F(ChannelSettings, ErrorsNameTheRoute) {
  const std::string list =
      "routes[0].channels must be a list of 1 to 16 channels, each as CHANNEL or CHANNEL:METHOD, such as alipay or "
      "alipay:qr";
  const std::string amount = " must be an integer of minor units from 1 to 1000000000000000";
  const std::pair<std::string, std::string> cases[] = {
      {"routes = 5", "routes must be a list of at most 200 tables"},
      {"routes = [5]", "routes must be a list of at most 200 tables"},
      {"[[routes]]\n", "routes[0].channels is missing; it" + list.substr(18)},
      {"[[routes]]\nchannels = []", list},
      {"[[routes]]\nchannels = \"alipay\"", list},
      {"[[routes]]\nchannels = [\"alipay:\"]", list},
      {"[[routes]]\nchannels = [\":qr\"]", list},
      {"[[routes]]\nchannels = [5]", list},
      {"[[routes]]\nchannels = [\"a\"]\ncurrency = \"cny\"",
       "routes[0].currency must be an ISO 4217 code in upper case, such as CNY"},
      {"[[routes]]\nchannels = [\"a\"]\n[[routes]]\nchannels = [\"a\"]\namount_min = 0",
       "routes[1].amount_min" + amount},
      {"[[routes]]\nchannels = [\"a\"]\namount_max = 1.5", "routes[0].amount_max" + amount},
      {"[[routes]]\nchannels = [\"a\"]\namount_min = 5\namount_max = 4",
       "routes[0].amount_max must not be less than amount_min"},
      {"[[routes]]\nchannels = [\"a\"]\nchannel = \"a\"",
       "routes[0].channel is not a setting; valid settings: channels, method, currency, amount_min, amount_max"},
  };
  for (const auto& [config, complaint] : cases) EXPECT_EQ(complaint_about(config), complaint) << config;
  std::string many;
  for (std::size_t i = 0; i <= kRoutesMax; ++i) many += "[[routes]]\nchannels = [\"a\"]\n";
  EXPECT_EQ(complaint_about(many), "routes must be a list of at most 200 tables");
}

TEST(CheckRoutes, FindsUnknownChannelsAndMethods) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page", "qr"}};
  const auto complaint = [&](std::vector<RouteTarget> targets, const std::string& method = "") {
    policy.routes = {{.targets = {{"alipay", ""}}, .method = "", .currency = {}},
                     {.targets = std::move(targets), .method = method, .currency = {}}};
    const auto checked = check_routes(policy);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(complaint({{"alipay", ""}, {"alipay", "qr"}}), "");
  EXPECT_EQ(complaint({{"alipay", ""}, {"bank", ""}}), "routes[1].channels: unknown channel bank");
  EXPECT_EQ(complaint({{"alipay", "fax"}}),
            "routes[1].channels: channel alipay has no method fax; select one of its methods (page, qr), for example "
            "alipay:page");
  EXPECT_EQ(complaint({{"alipay", ""}}, "scan"),
            "routes[1].channels: channel alipay has no method scan; select one of its methods (page, qr), for example "
            "alipay:page");
  EXPECT_EQ(complaint({{"alipay", "qr"}}, "scan"), "");
  EXPECT_EQ(complaint({{"wallet", ""}}),
            "routes[1].channels: channel wallet requires an account and cannot be routed to");
  EXPECT_EQ(complaint({{"alipay", "qr"}, {"alipay", ""}, {"alipay", "qr"}}),
            "routes[1].channels: alipay:qr is listed twice");
}

TEST(CheckRoutes, AcceptsAKindOfChannels) {
  Policy policy;
  for (const char* name : {"wechat-a", "wechat-b"}) {
    policy.channels[name] = {.methods = {"native"}};
    policy.accounts[name] = {.channel = name, .kind = "wechatpay", .merchants = "mer_0000000000007"};
  }
  const auto complaint = [&](std::vector<RouteTarget> targets) {
    policy.routes = {{.targets = std::move(targets), .method = "", .currency = {}}};
    const auto checked = check_routes(policy);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(complaint({{"wechatpay", ""}, {"wechat-b", "native"}}), "");
  EXPECT_EQ(complaint({{"alipay", ""}}), "routes[0].channels: unknown channel alipay");
  EXPECT_EQ(complaint({{"wechatpay", "fax"}}),
            "routes[0].channels: channel wechat-a has no method fax; select one of its methods (native), for example "
            "wechat-a:native");
  policy.routes = {{.targets = {{"wechatpay", "native"}}, .method = "", .currency = {}},
                   {.targets = {{"wechat-a", "native"}}, .method = "", .currency = {}}};
  EXPECT_TRUE(check_routes(policy)) << "payments of other merchants reach the second route";
  policy.accounts["wechat-b"].merchants = "";
  EXPECT_FALSE(check_routes(policy));
}

TEST(CheckRoutes, FindsACurrencyThatAChannelDoesNotAccept) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page"}, .currency = parse_currency("CNY")};
  policy.routes = {{.targets = {{"alipay", ""}}, .method = "", .currency = parse_currency("USD")}};
  EXPECT_EQ(check_routes(policy).error().message,
            "routes[0].channels: channel alipay accepts CNY only, but the currency of the route is USD");
  policy.routes[0].currency = parse_currency("CNY");
  EXPECT_TRUE(check_routes(policy));
  policy.routes[0].currency = {};
  EXPECT_TRUE(check_routes(policy));
}

TEST(CheckRoutes, FindsAnUnreachableRoute) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page", "qr"}, .currency = parse_currency("CNY")};
  policy.channels["bank"] = {.methods = {"transfer"}};
  const auto reaches = [&](PaymentRoute first, PaymentRoute second) {
    policy.routes = {std::move(first), std::move(second)};
    const auto checked = check_routes(policy);
    EXPECT_TRUE(checked ||
                checked.error().message.starts_with("routes[1] is unreachable: routes[0] takes all of its payments"));
    return checked.has_value();
  };
  const PaymentRoute any{.targets = {{"bank", "transfer"}}, .method = "", .currency = {}};
  const PaymentRoute yuan{.targets = {{"bank", "transfer"}}, .method = "", .currency = parse_currency("CNY")};
  const PaymentRoute small{.targets = {{"bank", "transfer"}}, .method = "", .currency = {}, .amount_max = 10};
  const PaymentRoute scan{.targets = {{"alipay", "qr"}}, .method = "scan", .currency = {}};
  EXPECT_FALSE(reaches(any, any));
  EXPECT_FALSE(reaches(any, yuan));
  EXPECT_FALSE(reaches(any, small));
  EXPECT_FALSE(reaches(any, scan));
  EXPECT_TRUE(reaches(yuan, any));
  EXPECT_TRUE(reaches(small, any));
  EXPECT_TRUE(reaches(scan, any));
  const PaymentRoute bare{.targets = {{"bank", ""}}, .method = "", .currency = {}};
  EXPECT_TRUE(reaches(bare, scan)) << "the first route is skipped: bank has no method scan";
  EXPECT_TRUE(reaches(scan, {.targets = {{"bank", "transfer"}}, .method = "scan", .currency = {}}))
      << "alipay does not accept dollars";
}

}  // namespace
}  // namespace finality::app
