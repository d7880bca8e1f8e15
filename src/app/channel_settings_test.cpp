// The channels with keys, and the routes, as the configuration names them.
#include "app/channel_settings.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/config.h"
#include "app/route_settings.h"
#include "base/temporary_directory.h"
#include "engine/log.h"
#include "sandbox/alipay_account.h"
#include "sandbox/wechatpay_account.h"

namespace finality::app {
namespace {

namespace fs = std::filesystem;

const std::string kRequired = "store = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n";
constexpr const char* kVariable = "FINALITY_CHANNEL_TEST_KEY";

/// Keys as the sandbox makes them, once for all tests.
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
    return options ? "nothing" : options.error().message.substr(config().size() + 2);
  }

  std::string config() const { return folder_.file("finality.toml"); }

  TemporaryDirectory folder_;
};

TEST_F(ChannelSettings, AlipayIsReadInBothModes) {
  const auto options = read(alipay(alipay_keys()));
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->alipay_channels.size(), 1u);
  const AlipaySettings& settings = options->alipay_channels[0];
  EXPECT_EQ(settings.name, "alipay");
  EXPECT_EQ(settings.gateway, "https://openapi.alipay.com/gateway.do");
  EXPECT_EQ(settings.app_id, "2021");
  EXPECT_EQ(settings.seller_id, "2088");
  EXPECT_EQ(settings.public_url, "https://pay.example");
  EXPECT_FALSE(settings.is_sandbox);
  EXPECT_EQ(key_files(settings),
            (std::vector{alipay_file("app_private_key.pem"), alipay_file("alipay_public_key.pem")}));
  EXPECT_EQ(complaint_about(alipay(alipay_certificates())), "nothing");
  const auto other = read(alipay(alipay_keys() + "url = \"http://127.0.0.1:1/gateway.do\"\nsandbox = true\n"));
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->alipay_channels[0].gateway, "http://127.0.0.1:1/gateway.do");
  EXPECT_TRUE(other->alipay_channels[0].is_sandbox);
}

TEST_F(ChannelSettings, WechatpayIsRead) {
  const auto options = read(wechatpay(wechatpay_keys() + "fetch_certificates = true\n"));
  ASSERT_TRUE(options) << options.error().message;
  ASSERT_EQ(options->wechatpay_channels.size(), 1u);
  const WechatpaySettings& settings = options->wechatpay_channels[0];
  EXPECT_EQ(settings.url, "https://api.mch.weixin.qq.com");
  EXPECT_EQ(settings.mchid, "1900000001");
  EXPECT_EQ(settings.appid, "wx1");
  EXPECT_TRUE(settings.fetches_certificates);
  EXPECT_EQ(key_files(settings).size(), 5u);
  const auto keys = read_keys(settings);
  ASSERT_TRUE(keys) << keys.error().message;
  EXPECT_EQ(keys->public_keys.at(0).id, "PUB_KEY_ID_1");
  EXPECT_EQ(keys->platform_certificates.size(), 1u);
}

TEST_F(ChannelSettings, AKeyMayComeFromTheEnvironment) {
  ::setenv(kVariable, "0123456789abcdef0123456789abcdef\n", 1);
  const std::string text = wechatpay(setting("api_v3_key_env", kVariable) +
                                     setting("platform_certificates_file", wechatpay_file("platform_certificate.pem")));
  const auto options = read(text);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(read_keys(options->wechatpay_channels[0])->api_v3_key.reveal(), "0123456789abcdef0123456789abcdef");
  ::unsetenv(kVariable);
  EXPECT_EQ(complaint_about(text),
            std::string("channels.wechatpay cannot be used: the variable ") + kVariable + " is not set");
}

TEST_F(ChannelSettings, WhatIsWrongIsNamed) {
  const std::string text = " must be a text without control characters, and not empty";
  const std::pair<std::string, std::string> cases[] = {
      {"[channels.alipay]\nkind = \"alipay\"\n", "channels.alipay.app_id is missing; it" + text},
      {alipay(""), "channels.alipay.private_key_file or private_key_env must name the application's private key"},
      {alipay(setting("private_key_file", alipay_file("app_private_key.pem"))),
       "channels.alipay.app_certificate_file must name the file with the application's certificate, or "
       "alipay_public_key_file Alipay's key"},
      {alipay(alipay_keys() + setting("root_certificates_file", "x")),
       "channels.alipay.root_certificates_file is not for a channel with an alipay_public_key_file"},
      {alipay(alipay_keys() + "sandbox = 1\n"), "channels.alipay.sandbox must be true or false"},
      {alipay(alipay_keys() + "secret_file = \"x\"\n"),
       "channels.alipay.secret_file is no setting; there are: kind, url, sandbox, app_id, seller_id, private_key_file, "
       "private_key_env, alipay_public_key_file, app_certificate_file, alipay_certificates_file, "
       "root_certificates_file"},
      {alipay(setting("private_key_file", "/no/such/file") + setting("alipay_public_key_file", "x")),
       "channels.alipay cannot be used: cannot read /no/such/file: No such file or directory"},
      {alipay(setting("private_key_file", "/dev/null") + setting("alipay_public_key_file", "x")),
       "channels.alipay cannot be used: /dev/null is empty"},
      {wechatpay(""), "channels.wechatpay.api_v3_key_file or api_v3_key_env must name the APIv3 key"},
      {"[channels.wallet]\nkind = \"sandbox\"\n",
       "channels.wallet is the channel of our own accounts: give yours another name"},
      {"[channels.other]\nkind = \"wechatpay\"\n",
       "channels.other.kind wechatpay is for the channel named wechatpay only"},
      {wechatpay(wechatpay_keys() + "fetch_certificates = \"yes\"\n"),
       "channels.wechatpay.fetch_certificates must be true or false"},
  };
  for (const auto& [config, complaint] : cases) EXPECT_EQ(complaint_about(config), complaint) << config;
}

// Of two files that are replaced one after the other, for a moment only one is new.
TEST_F(ChannelSettings, AMerchantsCertificateIsOfItsPrivateKey) {
  const std::string others = "[channels.wechatpay]\nkind = \"wechatpay\"\nmchid = \"1900000001\"\nappid = \"wx1\"\n" +
                             setting("private_key_file", wechatpay_file("private_key.pem")) +
                             setting("certificate_file", wechatpay_file("platform_certificate.pem")) + wechatpay_keys();
  EXPECT_EQ(complaint_about(others), "channels.wechatpay cannot be used: certificate_file (" +
                                         wechatpay_file("platform_certificate.pem") +
                                         "): the merchant's certificate is not of the private key");
}

TEST_F(ChannelSettings, AKeyThatIsNoneIsNamedAndNeverShown) {
  const fs::path broken = folder_.file("broken.pem");
  std::ofstream(broken) << "-----BEGIN PRIVATE KEY-----\ntop secret\n";
  const std::string complaint =
      complaint_about(alipay(setting("private_key_file", broken.string()) +
                             setting("alipay_public_key_file", alipay_file("alipay_public_key.pem"))));
  EXPECT_TRUE(complaint.starts_with("channels.alipay cannot be used: ")) << complaint;
  EXPECT_TRUE(complaint.contains("private_key_file (" + broken.string() + "): this is no RSA private key"))
      << complaint;
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

TEST_F(ChannelSettings, AnApiV3KeyOfAnotherLengthIsNamedWithItsPlace) {
  ::setenv(kVariable, "short", 1);
  const std::string complaint =
      complaint_about(wechatpay(setting("api_v3_key_env", kVariable) + "fetch_certificates = true\n"));
  EXPECT_EQ(complaint, std::string("channels.wechatpay cannot be used: api_v3_key_env (") + kVariable +
                           "): the APIv3 key has exactly 32 bytes, this has 5");
}

TEST_F(ChannelSettings, WhatExpiredIsSaidAndRefusedOnlyWhereNothingValidIsLeft) {
  const auto options = read(wechatpay(wechatpay_keys()));
  ASSERT_TRUE(options) << options.error().message;
  WechatpaySettings settings = options->wechatpay_channels[0];
  const Time late = SystemClock().now() + std::chrono::days(365 * 100);
  EXPECT_TRUE(expired_certificates(settings, SystemClock().now())->empty());
  const auto expired = expired_certificates(settings, late);
  ASSERT_TRUE(expired) << "a public key never expires";
  ASSERT_EQ(expired->size(), 2u);
  EXPECT_TRUE(expired->at(0).contains("platform_certificates_file (")) << expired->at(0);
  EXPECT_TRUE(expired->at(0).contains(" expired on 20")) << expired->at(0);
  EXPECT_TRUE(expired->at(1).starts_with("certificate_file (" + wechatpay_file("certificate.pem"))) << expired->at(1);
  settings.public_keys.clear();
  EXPECT_FALSE(expired_certificates(settings, late));
  settings.fetches_certificates = true;
  EXPECT_TRUE(expired_certificates(settings, late));
}

// Routes.

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
  const std::vector<Route>& routes = options->policy.routes;
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

TEST_F(ChannelSettings, WhatIsWrongWithARouteIsNamed) {
  const std::string list =
      "routes[0].channels must be a list of 1 to 16 channels, each like alipay or, with the method to use there, "
      "alipay:qr";
  const std::string amount = " must be an integer of minor units from 1 to 1000000000000000";
  const std::pair<std::string, std::string> cases[] = {
      {"routes = 5", "routes must be a list of 64 tables at most"},
      {"routes = [5]", "routes must be a list of 64 tables at most"},
      {"[[routes]]\n", "routes[0].channels is missing; it" + list.substr(18)},
      {"[[routes]]\nchannels = []", list},
      {"[[routes]]\nchannels = \"alipay\"", list},
      {"[[routes]]\nchannels = [\"alipay:\"]", list},
      {"[[routes]]\nchannels = [\":qr\"]", list},
      {"[[routes]]\nchannels = [5]", list},
      {"[[routes]]\nchannels = [\"a\"]\ncurrency = \"cny\"",
       "routes[0].currency must be an ISO 4217 code in upper case, like CNY"},
      {"[[routes]]\nchannels = [\"a\"]\n[[routes]]\nchannels = [\"a\"]\namount_min = 0",
       "routes[1].amount_min" + amount},
      {"[[routes]]\nchannels = [\"a\"]\namount_max = 1.5", "routes[0].amount_max" + amount},
      {"[[routes]]\nchannels = [\"a\"]\namount_min = 5\namount_max = 4",
       "routes[0].amount_max must not be less than amount_min"},
      {"[[routes]]\nchannels = [\"a\"]\nchannel = \"a\"",
       "routes[0].channel is no setting; there are: channels, method, currency, amount_min, amount_max"},
  };
  for (const auto& [config, complaint] : cases) EXPECT_EQ(complaint_about(config), complaint) << config;
  std::string many;
  for (std::size_t i = 0; i <= kRoutesMax; ++i) many += "[[routes]]\nchannels = [\"a\"]\n";
  EXPECT_EQ(complaint_about(many), "routes must be a list of 64 tables at most");
}

TEST(CheckRoutes, FindsChannelsAndMethodsThatAreNotThere) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page", "qr"}};
  const auto complaint = [&](std::vector<RouteTarget> targets, const std::string& method = "") {
    policy.routes = {{.targets = {{"alipay", ""}}, .method = "", .currency = {}},
                     {.targets = std::move(targets), .method = method, .currency = {}}};
    const auto checked = check_routes(policy);
    return checked ? "" : checked.error().message;
  };
  EXPECT_EQ(complaint({{"alipay", ""}, {"alipay", "qr"}}), "");
  EXPECT_EQ(complaint({{"alipay", ""}, {"bank", ""}}), "routes[1].channels: there is no channel named bank");
  EXPECT_EQ(
      complaint({{"alipay", "fax"}}),
      "routes[1].channels: the channel alipay has no method fax; say which it is to use, like alipay:page (it has: "
      "page, qr)");
  EXPECT_EQ(complaint({{"alipay", ""}}, "scan"),
            "routes[1].channels: the channel alipay has no method scan; say which it is to use, like alipay:page (it "
            "has: page, qr)");
  EXPECT_EQ(complaint({{"alipay", "qr"}}, "scan"), "");
  EXPECT_EQ(complaint({{"wallet", ""}}), "routes[1].channels: wallet takes an account: it is never chosen by itself");
  EXPECT_EQ(complaint({{"alipay", "qr"}, {"alipay", ""}, {"alipay", "qr"}}),
            "routes[1].channels: alipay:qr stands twice");
}

TEST(CheckRoutes, TakeAKindOfChannels) {
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
  EXPECT_EQ(complaint({{"alipay", ""}}), "routes[0].channels: there is no channel named alipay");
  EXPECT_EQ(complaint({{"wechatpay", "fax"}}),
            "routes[0].channels: the channel wechat-a has no method fax; say which it is to use, like wechat-a:native "
            "(it has: native)");
  policy.routes = {{.targets = {{"wechatpay", "native"}}, .method = "", .currency = {}},
                   {.targets = {{"wechat-a", "native"}}, .method = "", .currency = {}}};
  EXPECT_TRUE(check_routes(policy)) << "payments of other merchants come to the second";
  policy.accounts["wechat-b"].merchants = "";
  EXPECT_FALSE(check_routes(policy));
}

TEST(CheckRoutes, FindsACurrencyThatAChannelDoesNotTake) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page"}, .currency = parse_currency("CNY")};
  policy.routes = {{.targets = {{"alipay", ""}}, .method = "", .currency = parse_currency("USD")}};
  EXPECT_EQ(check_routes(policy).error().message,
            "routes[0].channels: the channel alipay takes CNY only, and the route is for USD");
  policy.routes[0].currency = parse_currency("CNY");
  EXPECT_TRUE(check_routes(policy));
  policy.routes[0].currency = {};
  EXPECT_TRUE(check_routes(policy));
}

TEST(CheckRoutes, FindsARouteThatNoPaymentEverComesTo) {
  Policy policy;
  policy.channels["alipay"] = {.methods = {"page", "qr"}, .currency = parse_currency("CNY")};
  policy.channels["bank"] = {.methods = {"transfer"}};
  const auto reaches = [&](Route first, Route second) {
    policy.routes = {std::move(first), std::move(second)};
    const auto checked = check_routes(policy);
    EXPECT_TRUE(checked ||
                checked.error().message.starts_with("routes[1]: no payment ever comes here, since routes[0]"));
    return checked.has_value();
  };
  const Route any{.targets = {{"bank", "transfer"}}, .method = "", .currency = {}};
  const Route yuan{.targets = {{"bank", "transfer"}}, .method = "", .currency = parse_currency("CNY")};
  const Route small{.targets = {{"bank", "transfer"}}, .method = "", .currency = {}, .amount_max = 10};
  const Route scan{.targets = {{"alipay", "qr"}}, .method = "scan", .currency = {}};
  EXPECT_FALSE(reaches(any, any));
  EXPECT_FALSE(reaches(any, yuan));
  EXPECT_FALSE(reaches(any, small));
  EXPECT_FALSE(reaches(any, scan));
  EXPECT_TRUE(reaches(yuan, any));
  EXPECT_TRUE(reaches(small, any));
  EXPECT_TRUE(reaches(scan, any));
  const Route bare{.targets = {{"bank", ""}}, .method = "", .currency = {}};
  EXPECT_TRUE(reaches(bare, scan)) << "the bank has no method scan: passed over";
  EXPECT_TRUE(reaches(scan, {.targets = {{"bank", "transfer"}}, .method = "scan", .currency = {}})) << "dollars";
}

}  // namespace
}  // namespace finality::app
