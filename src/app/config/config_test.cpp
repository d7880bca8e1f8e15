#include "app/config/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "app/channel_keys.h"
#include "app/config/config_files.h"
#include "app/config/test_config.h"
#include "base/testing/temporary_directory.h"
#include "channel/registry.h"

namespace finality::app {
namespace {

const std::string kRequired = "store = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n";
constexpr const char* kVariable = "FINALITY_CONFIG_TEST_SECRET";

// Temporary directory for the configuration file and secret files.
class Folder : public TemporaryDirectory {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
    return file(name);
  }
};

const std::string kTopSettings =
    " is not a setting; valid settings: include, listen, trusted_proxies, connections_per_client, public_url, store, "
    "migrate, io_threads, name_servers, time_scale, idempotency_retention, delivery_retention, health, rate_limits, "
    "uploads, webhooks, bank_accounts, channels, routes, log, statements, archive";

class ConfigTest : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv(kVariable); }
  void TearDown() override { ::unsetenv(kVariable); }

  Result<NodeOptions> read(const std::string& text) const { return read_config(folder_.write("finality.toml", text)); }

  /// Reads the configuration of a sandbox channel with `settings` besides kind and url. Returns the channel's secret.
  Result<Secret> secret_by(const std::string& settings) const {
    auto read_options =
        read(kRequired + "[channels.sandbox]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090\"\n" + settings);
    if (!read_options) return std::unexpected(read_options.error());
    return secret_of(read_options->channel_accounts.at(0));
  }
  /// Reads the secret from its file or environment variable.
  static Secret secret_of(const ChannelAccountSettings& account) { return read_texts(account)->secret("secret"); }
  std::string secret_file(const std::string& text) const {
    return "secret_file = \"" + folder_.write("sandbox.secret", text) + "\"\n";
  }
  static std::string secret_env() { return std::string("secret_env = \"") + kVariable + "\"\n"; }

  Folder folder_;
};

TEST_F(ConfigTest, OptionalSettingsHaveDefaults) {
  const auto options = read(kRequired);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->store_url, "sqlite:x.db");
  EXPECT_EQ(options->policy.public_url, "https://pay.example");
  EXPECT_EQ(options->address, "127.0.0.1");
  EXPECT_EQ(options->port, 8080);
  EXPECT_TRUE(options->migrate);
  EXPECT_EQ(options->io_threads, 1);
  EXPECT_EQ(options->name_servers, "");
  EXPECT_EQ(options->policy.time_scale, 1.0);
  EXPECT_EQ(options->policy.idempotency_retention, std::chrono::hours(24));
  EXPECT_EQ(options->policy.delivery_retention, std::chrono::hours(24 * 30));
  EXPECT_EQ(options->policy.file_retention, std::chrono::days(400));
  EXPECT_TRUE(options->archives.empty());
  EXPECT_FALSE(options->health);
  EXPECT_FALSE(options->private_metrics);
  EXPECT_TRUE(options->policy.allow_private.empty());
  EXPECT_EQ(options->rate_limits.per_second, http::RateLimitSettings{}.per_second);
  EXPECT_TRUE(options->channel_accounts.empty());
}

TEST_F(ConfigTest, EverySettingIsRead) {
  ::setenv(kVariable, "from the environment", 1);
  const auto options = read(R"(
store = "sqlite:/var/lib/finality/finality.db"
public_url = "https://pay.example"
listen = "10.0.0.5:9000"
trusted_proxies = ["10.0.0.1", "2001:db8::/32"]
connections_per_client = 4096
migrate = false
io_threads = 64
name_servers = ["127.0.0.1:5353", "[::1]:53"]
time_scale = 2.5
idempotency_retention = "7d"
delivery_retention = "36h"

[health]
listen = "[::1]:9090"
private_metrics = true

[statements]
keep_files_days = 100
max_files_per_day = 7
max_mib_per_day = 8
max_mib_stored = 9

[archive]
directory = "/archive"

[rate_limits]
address_reads = 1
address_writes = 2
notifications = 3
failed_authentications = 4
api_key_reads = 5
api_key_writes = 6
merchant_reads = 0
merchant_writes = 1000000

[webhooks]
allow_private = ["127.0.0.1", "hooks.internal.example"]

[channels.sandbox]
kind = "sandbox"
url = "http://127.0.0.1:8090"
)" + secret_file("from a file\n") +
                            R"(
[channels.sandbox2]
kind = "sandbox"
url = "http://127.0.0.1:8091"
)" + secret_env());
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->store_url, "sqlite:/var/lib/finality/finality.db");
  EXPECT_EQ(options->policy.public_url, "https://pay.example");
  EXPECT_EQ(options->address, "10.0.0.5");
  EXPECT_EQ(options->port, 9000);
  EXPECT_TRUE(options->trusted_proxies.contains(*net::parse_address("10.0.0.1")));
  EXPECT_TRUE(options->trusted_proxies.contains(*net::parse_address("2001:db8:1::1")));
  EXPECT_FALSE(options->trusted_proxies.contains(*net::parse_address("10.0.0.2")));
  EXPECT_EQ(options->connections_per_client, 4096);
  EXPECT_FALSE(options->migrate);
  EXPECT_EQ(options->io_threads, 64);
  EXPECT_EQ(options->name_servers, "127.0.0.1:5353,[::1]:53");
  EXPECT_EQ(options->policy.time_scale, 2.5);
  EXPECT_EQ(options->policy.idempotency_retention, std::chrono::hours(24 * 7));
  EXPECT_EQ(options->policy.delivery_retention, std::chrono::hours(36));
  EXPECT_EQ(options->policy.file_retention, std::chrono::days(100));
  EXPECT_EQ(options->statement_quota.max_files_per_day, 7);
  EXPECT_EQ(options->statement_quota.max_mib_per_day, 8);
  EXPECT_EQ(options->statement_quota.max_mib_stored, 9);
  EXPECT_EQ(options->archives, "/archive");
  EXPECT_EQ(options->rate_limits.per_second, (std::array<std::int64_t, 8>{1, 2, 3, 4, 5, 6, 0, 1'000'000}));
  ASSERT_TRUE(options->health);
  EXPECT_EQ(options->health->address, "::1");
  EXPECT_EQ(options->health->port, 9090);
  EXPECT_TRUE(options->private_metrics);
  EXPECT_EQ(options->policy.allow_private, (std::vector<std::string>{"127.0.0.1", "hooks.internal.example"}));

  ASSERT_EQ(options->channel_accounts.size(), 2);
  const ChannelAccountSettings& first = options->channel_accounts[0];
  EXPECT_EQ(first.channel, "sandbox");
  EXPECT_EQ(first.kind->name, "sandbox");
  EXPECT_EQ(first.values.text("url"), "http://127.0.0.1:8090");
  EXPECT_EQ(secret_of(first).reveal(), "from a file");
  const ChannelAccountSettings& second = options->channel_accounts[1];
  EXPECT_EQ(second.channel, "sandbox2");
  EXPECT_EQ(second.values.text("url"), "http://127.0.0.1:8091");
  EXPECT_EQ(secret_of(second).reveal(), "from the environment");
}

TEST_F(ConfigTest, PrivateMetricsNeedAListener) {
  const auto options = read(kRequired + "[health]\nprivate_metrics = true\n");
  ASSERT_FALSE(options);
  EXPECT_TRUE(options.error().message.contains("health.private_metrics needs the setting health.listen"))
      << options.error().message;
}

TEST_F(ConfigTest, TheLimitsThemselvesAreAllowed) {
  for (const char* setting :
       {"io_threads = 1", "io_threads = 64", "time_scale = 0.001", "time_scale = 1000000", "time_scale = 1e6",
        "listen = \"127.0.0.1:0\"", "listen = \"127.0.0.1:65535\"", "listen = \"0.0.0.0:80\"", "migrate = true",
        "idempotency_retention = \"24h\"", "idempotency_retention = \"1d\"", "delivery_retention = \"1h\"",
        "delivery_retention = \"36500d\"", "[webhooks]", "[webhooks]\nallow_private = []", "[channels]"}) {
    const auto options = read(kRequired + setting);
    EXPECT_TRUE(options) << setting << ": " << options.error().message;
  }
}

TEST_F(ConfigTest, TheTimeScaleCanBeAWholeNumber) {
  const auto options = read(kRequired + "time_scale = 100");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->policy.time_scale, 100.0);
}

TEST_F(ConfigTest, AnIpv6AddressIsInBrackets) {
  for (const auto& [listen, address] :
       {std::pair{"[::1]:80", "::1"}, std::pair{"[::]:80", "::"}, std::pair{"[0:0:0:0:0:0:0:1]:80", "::1"},
        std::pair{"[2001:DB8::5]:80", "2001:db8::5"}}) {
    const auto options = read(kRequired + "listen = \"" + listen + "\"");
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->address, address);
    EXPECT_EQ(options->port, 80);
  }
}

std::string channel(const std::string& settings) { return kRequired + "[channels.sandbox]\n" + settings; }

/// The channel kinds in the form of an error message: "a, b or c".
std::string kinds() {
  std::string list;
  for (const ChannelKind* kind : channel_kinds())
    list += std::string(list.empty() ? "" : kind == channel_kinds().back() ? " or " : ", ").append(kind->name);
  return list;
}

const std::string kKind = "kind = \"sandbox\"\n";
const std::string kUrl = "url = \"http://127.0.0.1:8090\"\n";

TEST_F(ConfigTest, SlashesAtTheEndOfAUrlAreDropped) {
  ::setenv(kVariable, "top secret", 1);
  const auto options =
      read("store = \"sqlite:x.db\"\npublic_url = \"https://pay.example/finality//\"\n[channels.sandbox]\n" + kKind +
           "url = \"http://[::1]:8090/\"\n" + secret_env());
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->policy.public_url, "https://pay.example/finality");
  EXPECT_EQ(options->channel_accounts.at(0).values.text("url"), "http://[::1]:8090");
}

TEST_F(ConfigTest, AllowPrivateAcceptsHostsThatTheClientCanMatch) {
  const auto options = read(kRequired +
                            "[webhooks]\nallow_private = [\"localhost\", \"Hooks_1.internal\", \"3com.example\", "
                            "\"10.0.0.5\", \"::1\", \"FD00::5\", \"::ffff:127.0.0.1\"]");
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->policy.allow_private,
            (std::vector<std::string>{"localhost", "Hooks_1.internal", "3com.example", "10.0.0.5", "::1", "FD00::5",
                                      "::ffff:127.0.0.1"}));
}

TEST_F(ConfigTest, AChannelsNameHas32CharactersAtMost) {
  ::setenv(kVariable, "top secret", 1);
  const auto named = [&](const std::string& name) {
    return read(kRequired + "[channels." + name + "]\n" + kKind + kUrl + secret_env());
  };
  const std::string longest = "a1_" + std::string(29, 'z');
  const auto options = named(longest);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->channel_accounts.at(0).channel, longest);
  EXPECT_FALSE(named(longest + "z"));
}

TEST_F(ConfigTest, AFileCanBeAsLongAsTheLimit) {
  const auto padded = [](std::size_t size) {
    std::string text = kRequired;
    while (text.size() + 100 < size) text += "#" + std::string(98, '-') + "\n";
    return text + "#" + std::string(size - text.size() - 1, '-');
  };
  EXPECT_TRUE(read(padded(kConfigBytesMax)));
  const auto options = read(padded(kConfigBytesMax + 1));
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message, folder_.file("finality.toml") + " is longer than 4194304 bytes");
}

TEST_F(ConfigTest, ALineCanBeAsLongAsTheLimit) {
  const auto line = [](std::size_t size) { return kRequired + "#" + std::string(size - 1, '-') + "\n[log]\n"; };
  EXPECT_TRUE(read(line(kConfigLineBytesMax)));
  EXPECT_EQ(read(line(kConfigLineBytesMax + 1)).error().message,
            folder_.file("finality.toml") + ":3: the line is longer than 8192 bytes: use several lines");
}

TEST_F(ConfigTest, NoNestingOverflowsTheStack) {
  std::string dotted = "a";
  while (dotted.size() + 2 + std::string_view(".a=[").size() < kConfigLineBytesMax) dotted += ".a";
  EXPECT_EQ(read(dotted + "=1").error().message, folder_.file("finality.toml") + ":1: a" + kTopSettings);
  EXPECT_FALSE(read("[" + dotted + "]"));
  EXPECT_FALSE(read("a=" + std::string(8'000, '[')));
  // The deepest tables: dotted keys in inline tables, as deep as values can be nested.
  const auto nested = [&](const std::string& value) {
    return read(dotted + "=[\n{" + dotted + "=[\n" + value + "\n]}\n]").error().message;
  };
  EXPECT_EQ(nested("{}"), folder_.file("finality.toml") + ":1: a" + kTopSettings);
  EXPECT_TRUE(nested("{a=1}").contains("exceeded maximum nested value depth"));
}

struct BadConfig {
  std::string text;
  std::string complaint;  // expected error message, without the file name
};

class BadConfigs : public ConfigTest, public testing::WithParamInterface<BadConfig> {};

TEST_P(BadConfigs, AreRejectedWithTheSettingAndTheAllowedValues) {
  const auto options = read(GetParam().text);
  ASSERT_FALSE(options) << GetParam().text;
  EXPECT_EQ(without_place(options.error(), folder_.file("finality.toml")), GetParam().complaint);
}

const std::string kAllowedText = " must be a non-empty string without control characters";
const std::string kAllowedUrl =
    " must be an http:// or https:// URL of at most 1024 bytes, without user information, query or fragment";
const std::string kStore = std::string("store must be ") + kStoreUrls;
const std::string kMigrate = "migrate must be true or false";
const std::string kThreads = "io_threads must be an integer from 1 to 64";
const std::string kProxies =
    "trusted_proxies must be a list of IP addresses and networks, such as 10.0.0.1 and 2001:db8::/32: ";
const std::string kConnections = "connections_per_client must be an integer from 1 to 4096";
const std::string kSpan =
    "delivery_retention must be a whole number of hours or days, such as 36h or 30d, at most 36500d";
const std::string kIdempotencySpan =
    "idempotency_retention must be a whole number of hours or days, such as 36h or 30d, at most 36500d and at least "
    "24h";
const std::string kScale = "time_scale must be a number from 0.001 to 1000000";
std::string quota_rule(const std::string& key) {
  return "statements." + key + " must be an integer from 1 to 1000000000";
}
const std::string kFileDays = "statements.keep_files_days must be an integer from 100 to 36500";
const std::string kRate = "rate_limits.merchant_writes must be an integer from 0 to 1000000, where 0 means no limit";
const std::string kUploadTotal = "uploads.total_mib must be an integer from 256 to 65536";
const std::string kUploadRate = "uploads.rate_min_kib must be an integer from 0 to 512, where 0 means no minimum";
const std::string kListen =
    "listen must be ADDRESS:PORT, with an IPv6 address in brackets, such as 127.0.0.1:8080 or [::1]:8080";
const std::string kAllow = "webhooks.allow_private must be a list of non-empty strings without control characters";
INSTANTIATE_TEST_SUITE_P(
    Missing, BadConfigs,
    testing::Values(BadConfig{"", std::string("store is missing; it must be ") + kStoreUrls},
                    BadConfig{"store = \"sqlite:x.db\"", "public_url is missing; it must" + kAllowedUrl.substr(5)},
                    BadConfig{channel(kUrl), "channels.sandbox.kind is missing; it must be " + kinds()},
                    BadConfig{channel(kKind), "channels.sandbox.url is missing; it must" + kAllowedUrl.substr(5)},
                    BadConfig{channel(kKind + kUrl),
                              "channels.sandbox.secret_file or secret_env must provide the channel's secret"}));

INSTANTIATE_TEST_SUITE_P(
    WrongType, BadConfigs,
    testing::Values(
        BadConfig{"store = 5\npublic_url = \"https://pay.example\"", kStore},
        BadConfig{"store = \"sqlite:x.db\"\npublic_url = [\"x\"]", "public_url" + kAllowedUrl},
        BadConfig{kRequired + "migrate = \"yes\"", kMigrate}, BadConfig{kRequired + "migrate = 1", kMigrate},
        BadConfig{kRequired + "migrate = 0.0", kMigrate}, BadConfig{kRequired + "io_threads = \"2\"", kThreads},
        BadConfig{kRequired + "io_threads = 1.5", kThreads}, BadConfig{kRequired + "io_threads = 2.0", kThreads},
        BadConfig{kRequired + "io_threads = true", kThreads}, BadConfig{kRequired + "time_scale = \"2\"", kScale},
        BadConfig{kRequired + "time_scale = true", kScale}, BadConfig{kRequired + "listen = 8080", kListen},
        BadConfig{kRequired + "webhooks = 5", "webhooks must be a table"},
        BadConfig{kRequired + "[[webhooks]]", "webhooks must be a table"},
        BadConfig{kRequired + "channels = 5", "channels must be a table"},
        BadConfig{kRequired + "[[channels]]", "channels must be a table"},
        BadConfig{kRequired + "[channels]\nsandbox = 5", "channels.sandbox must be a table"},
        BadConfig{kRequired + "[[channels.sandbox]]", "channels.sandbox must be a table"},
        BadConfig{kRequired + "[webhooks]\nallow_private = \"127.0.0.1\"", kAllow},
        BadConfig{kRequired + "[webhooks]\nallow_private = [\"127.0.0.1\", 5]", kAllow},
        BadConfig{kRequired + "[webhooks]\nallow_private = [[\"127.0.0.1\"]]", kAllow},
        BadConfig{kRequired + "[webhooks]\nallow_private = [\"\"]", kAllow},
        BadConfig{channel("kind = 5\n" + kUrl), "channels.sandbox.kind must be " + kinds()},
        BadConfig{channel(kKind + "url = 8090\n"), "channels.sandbox.url" + kAllowedUrl},
        BadConfig{channel(kKind + kUrl + "secret_file = 5"), "channels.sandbox.secret_file" + kAllowedText},
        BadConfig{channel(kKind + kUrl + "secret_env = true"), "channels.sandbox.secret_env" + kAllowedText}));

INSTANTIATE_TEST_SUITE_P(
    BeyondALimit, BadConfigs,
    testing::Values(
        BadConfig{kRequired + "io_threads = 0", kThreads}, BadConfig{kRequired + "io_threads = 65", kThreads},
        BadConfig{kRequired + "io_threads = -1", kThreads},
        BadConfig{kRequired + "connections_per_client = 0", kConnections},
        BadConfig{kRequired + "connections_per_client = 4097", kConnections},
        BadConfig{kRequired + "trusted_proxies = \"10.0.0.1\"",
                  "trusted_proxies must be a list of non-empty strings without control characters"},
        BadConfig{kRequired + "trusted_proxies = [\"10.0.0.1\", \"proxy.example\"]",
                  kProxies + "proxy.example is not an IPv4 or IPv6 address or network"},
        BadConfig{kRequired + "trusted_proxies = [\"10.0.0.1/8\"]",
                  kProxies + "10.0.0.1/8 has bits set after its prefix length"},
        BadConfig{kRequired + "io_threads = 9223372036854775807", kThreads},
        BadConfig{kRequired + "[rate_limits]\nmerchant_writes = -1", kRate},
        BadConfig{kRequired + "[rate_limits]\nmerchant_writes = 1000001", kRate},
        BadConfig{kRequired + "[rate_limits]\nmerchant_writes = 0.5", kRate},
        BadConfig{kRequired + "[rate_limits]\nmerchant_writes = \"5000\"", kRate},
        BadConfig{kRequired + "[uploads]\ntotal_mib = 255", kUploadTotal},
        BadConfig{kRequired + "[uploads]\ntotal_mib = 65537", kUploadTotal},
        BadConfig{kRequired + "[uploads]\nrate_min_kib = -1", kUploadRate},
        BadConfig{kRequired + "[uploads]\nrate_min_kib = 513", kUploadRate},
        BadConfig{kRequired + "delivery_retention = 30", kSpan},
        BadConfig{kRequired + "delivery_retention = \"30\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"0d\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"d\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"-1d\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"1.5d\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"5m\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"36501d\"", kSpan},
        BadConfig{kRequired + "delivery_retention = \"99999999999999999999d\"", kSpan},
        BadConfig{kRequired + "idempotency_retention = \"23h\"", kIdempotencySpan},
        BadConfig{kRequired + "[statements]\nmax_files_per_day = 0", quota_rule("max_files_per_day")},
        BadConfig{kRequired + "[statements]\nmax_mib_per_day = \"1\"", quota_rule("max_mib_per_day")},
        BadConfig{kRequired + "[statements]\nmax_mib_stored = 1000000001", quota_rule("max_mib_stored")},
        BadConfig{kRequired + "[statements]\nkeep_files_days = 99", kFileDays},
        BadConfig{kRequired + "[statements]\nkeep_files_days = 36501", kFileDays},
        BadConfig{kRequired + "[statements]\nkeep_files_days = \"400d\"", kFileDays},
        BadConfig{kRequired + "time_scale = 0", kScale}, BadConfig{kRequired + "time_scale = -0.5", kScale},
        BadConfig{kRequired + "time_scale = -inf", kScale}, BadConfig{kRequired + "time_scale = inf", kScale},
        BadConfig{kRequired + "time_scale = nan", kScale}, BadConfig{kRequired + "time_scale = -nan", kScale},
        BadConfig{kRequired + "time_scale = 1e300", kScale}, BadConfig{kRequired + "time_scale = 1e-300", kScale},
        BadConfig{kRequired + "time_scale = 0.00099", kScale}, BadConfig{kRequired + "time_scale = 1000001", kScale},
        BadConfig{kRequired + "time_scale = 9223372036854775807", kScale}));

const std::string kNameServers =
    "name_servers must be a list of ADDRESS or ADDRESS:PORT, with a port from 1 to 65535 and an IPv6 address and a "
    "port "
    "as [::1]:53: ";

INSTANTIATE_TEST_SUITE_P(
    NameServers, BadConfigs,
    testing::Values(
        BadConfig{kRequired + "name_servers = \"127.0.0.1\"",
                  "name_servers must be a list of non-empty strings without control characters"},
        BadConfig{kRequired + "name_servers = [\"dns.example\"]", kNameServers + "dns.example is neither"},
        BadConfig{kRequired + "name_servers = [\"::1\", \"127.0.0.1:x\"]", kNameServers + "127.0.0.1:x is neither"},
        BadConfig{kRequired + "name_servers = [\"127.0.0.1:99999\"]", kNameServers + "127.0.0.1:99999 is neither"},
        BadConfig{kRequired + "name_servers = [\"[::1]:0\"]", kNameServers + "[::1]:0 is neither"},
        BadConfig{kRequired + "name_servers = [\"127.0.0.1,::1\"]", kNameServers + "127.0.0.1,::1 is neither"}));

INSTANTIATE_TEST_SUITE_P(
    UnknownSetting, BadConfigs,
    testing::Values(
        BadConfig{kRequired + "port = 8080", "port" + kTopSettings},
        BadConfig{kRequired + "Listen = \"127.0.0.1:80\"", "Listen" + kTopSettings},
        BadConfig{kRequired + "[webhook]", "webhook" + kTopSettings},
        BadConfig{kRequired + "[[channel]]", "channel" + kTopSettings},
        BadConfig{kRequired + "[webhooks]\nallow_all = true",
                  "webhooks.allow_all is not a setting; valid settings: allow_private"},
        BadConfig{
            channel(kKind + kUrl + "secret = \"told to all\""),
            "channels.sandbox.secret is not a setting; valid settings: kind, merchants, funds, merchant_currency, "
            "bank_account, enabled, url, secret_file, secret_env, captures"}));

INSTANTIATE_TEST_SUITE_P(
    Channels, BadConfigs,
    testing::Values(
        BadConfig{channel("kind = \"bank\"\n" + kUrl), "channels.sandbox.kind must be " + kinds()},
        BadConfig{kRequired + "[channels.Sandbox]",
                  "channels.Sandbox must have a name of 1 to 32 characters from a-z, 0-9 and _"},
        BadConfig{kRequired + "[channels.\"../x\"]",
                  "channels.../x must have a name of 1 to 32 characters from a-z, 0-9 and _"},
        BadConfig{kRequired + "[channels.\"\"]",
                  "channels. must have a name of 1 to 32 characters from a-z, 0-9 and _"},
        BadConfig{channel(kKind + kUrl + "secret_file = \"\""), "channels.sandbox.secret_file" + kAllowedText},
        BadConfig{channel(kKind + kUrl + "secret_file = \"/dev/null\\u0000x\""),
                  "channels.sandbox.secret_file" + kAllowedText},
        BadConfig{
            channel(kKind + kUrl + "secret_file = \"/no/such/file\""),
            "channels.sandbox.secret_file must contain the channel's secret: cannot read /no/such/file: No such file "
            "or directory"},
        BadConfig{channel(kKind + kUrl + "secret_file = \"/\""),
                  "channels.sandbox.secret_file must contain the channel's secret: cannot read /: Is a directory"},
        BadConfig{channel(kKind + kUrl + "secret_file = \"/dev/null\""),
                  "channels.sandbox.secret_file must contain the channel's secret: /dev/null is empty"},
        BadConfig{
            channel(kKind + kUrl + "secret_file = \"/dev/zero\""),
            "channels.sandbox.secret_file must contain the channel's secret: /dev/zero is longer than 4096 bytes"},
        BadConfig{channel(kKind + kUrl + "secret_env = \"" + kVariable + "\""),
                  std::string("channels.sandbox.secret_env names the environment variable ") + kVariable +
                      ", which is not set"}));

class BadTexts : public ConfigTest, public testing::WithParamInterface<const char*> {
 protected:
  /// The error for the configuration `text`, without the file name.
  std::string complaint_about(const std::string& text) const {
    const auto options = read(text);
    return options ? "nothing" : without_place(options.error(), folder_.file("finality.toml"));
  }
};

class BadStores : public BadTexts {};
TEST_P(BadStores, AreRejected) {
  EXPECT_EQ(complaint_about(std::string("store = \"") + GetParam() + "\"\npublic_url = \"https://pay.example\""),
            kStore);
}
INSTANTIATE_TEST_SUITE_P(Config, BadStores,
                         testing::Values("", "x.db", "sqlite:", "SQLITE:x.db", "postgres://", "mysql://x"));

class BadListens : public BadTexts {};
TEST_P(BadListens, AreRejected) { EXPECT_EQ(complaint_about(kRequired + "listen = \"" + GetParam() + "\""), kListen); }
INSTANTIATE_TEST_SUITE_P(Config, BadListens,
                         testing::Values("", ":", "8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http",
                                         "127.0.0.1:80 ", " 127.0.0.1:80", "127.0.0.1:-1", "127.0.0.1:+1",
                                         "127.0.0.1:65536", "127.1:80", "localhost:80", "::1:80", "::1", "[::1]",
                                         "[::1]:", "[::1]80", "[::1:80", "::1]:80", "[]:80", "[127.0.0.1]:80",
                                         "[[::1]]:80", "[::1%lo]:80", "http://127.0.0.1:80"));

class BadUrls : public BadTexts {};
TEST_P(BadUrls, AreRejected) {
  const std::string url = std::string("url = \"") + GetParam() + "\"\n";
  EXPECT_EQ(complaint_about("store = \"sqlite:x.db\"\npublic_" + url), "public_url" + kAllowedUrl);
  EXPECT_EQ(complaint_about(channel(kKind + url)), "channels.sandbox.url" + kAllowedUrl);
}
const std::string kLongUrl = "https://pay.example/" + std::string(1005, 'x');
INSTANTIATE_TEST_SUITE_P(Config, BadUrls,
                         testing::Values("", "pay.example", "//pay.example", "/pay", "ftp://pay.example",
                                         "HTTPS://pay.example", "https:/pay.example", "https:pay.example", "https://",
                                         "https:///", "https://:443", "https://pay.example:0",
                                         "https://pay.example:65536", "https://pay.example:https",
                                         "https://me@pay.example", "https://me:word@pay.example",
                                         "https://@pay.example", "https://pay.example?", "https://pay.example/?a=b",
                                         "https://pay.example#", "https://pay.example/#top", "https://pay example",
                                         " https://pay.example", "https://pay.example\\n", "https://::1",
                                         "https://päy.example", kLongUrl.c_str()));

class BadHosts : public BadTexts {};
TEST_P(BadHosts, AreRejectedByName) {
  EXPECT_EQ(complaint_about(kRequired + "[webhooks]\nallow_private = [\"localhost\", \"" + GetParam() + "\"]"),
            std::string("webhooks.allow_private must be a list of host names and IP addresses, such as hooks.example, "
                        "127.0.0.1 and ::1 (networks are not supported): ") +
                GetParam() + " is neither");
}
INSTANTIATE_TEST_SUITE_P(Config, BadHosts,
                         testing::Values("10.0.0.0/8", "fd00::/8", "hooks.example:80", "127.0.0.1:80", "[::1]",
                                         "[::1]:80", "http://hooks.example", "hooks.example/", "hooks.example?",
                                         "hooks.example#", "me@hooks.example", "*.example", ".example", "example.",
                                         "hooks..example", "hooks example", " ", "10.0.0", "127.1", "10.0.0.256",
                                         "2130706433", "::0001", "0:0:0:0:0:0:0:1", "::ffff:7f00:1", "::1%lo",
                                         "h%6foks.example", "höoks.example"));

TEST_F(ConfigTest, AllowPrivateListsEachHostOnce) {
  const auto options = read(kRequired + "[webhooks]\nallow_private = [\"hooks.example\", \"::1\", \"Hooks.example\"]");
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message,
            folder_.file("finality.toml") +
                ":4: webhooks.allow_private must not contain a host twice: Hooks.example is listed twice");
}

TEST_F(ConfigTest, ReportsOnlyTheFirstError) {
  const auto options = read("io_threads = 0\nshoe = 1\n");
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message, folder_.file("finality.toml") + ":2: shoe" + kTopSettings);
}

TEST_F(ConfigTest, AnErrorNamesTheLineOfTheSettingOrOfItsTable) {
  const auto place = [&](const std::string& text) {
    const std::string message = read(text).error().message;
    return message.substr(folder_.file("finality.toml").size());
  };
  EXPECT_TRUE(place("").starts_with(": store is missing;"));
  EXPECT_TRUE(place(kRequired + "\nio_threads = 0").starts_with(":4: io_threads must be"));
  EXPECT_TRUE(place(kRequired + "[channels.a]\n").starts_with(":3: channels.a.kind is missing;"));
  EXPECT_TRUE(place(kRequired + "\n[[routes]]\n[[routes]]\n").starts_with(":4: routes[0].channels is missing;"));
}

TEST_F(ConfigTest, WarnsWithoutAnEnabledChannel) {
  const auto warnings = [&](const std::string& text) {
    const auto options = read(kRequired + text);
    return options && !options->warnings.empty() ? options->warnings.front().message : "none";
  };
  const std::string sandbox = "[channels.sandbox]\n" + kKind + kUrl + secret_file("secret");
  EXPECT_EQ(warnings(""), "no channel is configured");
  EXPECT_EQ(warnings(sandbox + "enabled = false\n"), "no channel is enabled");
  EXPECT_EQ(warnings(sandbox), "none");
}

TEST_F(ConfigTest, InvalidTomlIsRejectedWithItsLine) {
  const auto options = read(kRequired + "listen 8080\n");
  ASSERT_FALSE(options);
  EXPECT_TRUE(options.error().message.starts_with(folder_.file("finality.toml") + ":3: ")) << options.error().message;
}

TEST_F(ConfigTest, DuplicateKeysAreRejected) {
  for (const std::string again :
       {"store = \"sqlite:y.db\"", "[webhooks]\n[webhooks]", "webhooks = {}\n[webhooks]",
        "[channels.sandbox]\n[channels.sandbox]", "[channels.sandbox]\n[channels.\"sandbox\"]",
        "[channels.sandbox]\nkind = \"sandbox\"\n\"kind\" = \"sandbox\""}) {
    const auto options = read(kRequired + again + "\n");
    ASSERT_FALSE(options) << again;
    const auto line = 2 + std::ranges::count(again, '\n') + 1;
    const std::string place = folder_.file("finality.toml") + ":" + std::to_string(line) + ": ";
    EXPECT_TRUE(options.error().message.starts_with(place)) << options.error().message;
  }
}

TEST_F(ConfigTest, AMissingFileIsNamed) {
  const auto options = read_config(folder_.file("nowhere.toml"));
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message, "cannot read " + folder_.file("nowhere.toml") + ": No such file or directory");
}

TEST_F(ConfigTest, TrailingNewlinesAreNotPartOfASecret) {
  for (const char* text : {"top secret", "top secret\n", "top secret\n\n", "top secret\r\n", "top secret\r\n\r\n"}) {
    const auto secret = secret_by(secret_file(text));
    ASSERT_TRUE(secret) << secret.error().message;
    EXPECT_EQ(secret->reveal(), "top secret");
  }
  EXPECT_EQ(secret_by(secret_file(" a b\nc \n"))->reveal(), " a b\nc ");
}

TEST_F(ConfigTest, AFileOfNewlinesContainsNoSecret) {
  for (const char* text : {"", "\n\n", "\r\n"}) {
    const auto secret = secret_by(secret_file(text));
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.error().message, folder_.file("finality.toml") +
                                          ":6: channels.sandbox.secret_file must contain the channel's secret: " +
                                          folder_.file("sandbox.secret") + " is empty");
  }
}

TEST_F(ConfigTest, AnEmptyVariableIsAnErrorEvenIfTheFileHasASecret) {
  ::setenv(kVariable, "\n", 1);
  const auto secret = secret_by(secret_file("from a file\n") + secret_env());
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message,
            folder_.file("finality.toml") +
                ":7: channels.sandbox.secret_env must contain the channel's secret: " + kVariable + " is empty");
}

TEST_F(ConfigTest, TheEnvironmentTakesPrecedenceOverTheFile) {
  const std::string both = secret_file("from a file\n") + secret_env();
  EXPECT_EQ(secret_by(both)->reveal(), "from a file");
  ::setenv(kVariable, "from the environment\n", 1);
  EXPECT_EQ(secret_by(both)->reveal(), "from the environment");
}

TEST_F(ConfigTest, ErrorsNeverShowASecret) {
  const auto options = read(channel(kKind + "url = 5\n" + secret_file("top secret\n")));
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message.find("top secret"), std::string::npos);
}

}  // namespace
}  // namespace finality::app
