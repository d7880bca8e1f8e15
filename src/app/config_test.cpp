#include "app/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace finality::app {
namespace {

const std::string kRequired = "store = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n";
constexpr const char* kVariable = "FINALITY_CONFIG_TEST_SECRET";

// A directory of its own, in which the configuration and the secrets lie.
class Folder {
 public:
  Folder() {
    std::string name = testing::TempDir() + "finality-config-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

class ConfigTest : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv(kVariable); }
  void TearDown() override { ::unsetenv(kVariable); }

  Result<NodeOptions> read(const std::string& text) const { return read_config(folder_.write("finality.toml", text)); }

  /// The secret of a channel whose settings end with `settings`.
  Result<Secret> secret_by(const std::string& settings) const {
    auto read_options =
        read(kRequired + "[channels.sandbox]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090\"\n" + settings);
    if (!read_options) return std::unexpected(read_options.error());
    return read_options->sandbox_channels.at(0).secret;
  }
  std::string secret_file(const std::string& text) const {
    return "secret_file = \"" + folder_.write("sandbox.secret", text) + "\"\n";
  }
  static std::string secret_env() { return std::string("secret_env = \"") + kVariable + "\"\n"; }

  Folder folder_;
};

TEST_F(ConfigTest, WhatNeedNotBeSaidHasADefault) {
  const auto options = read(kRequired);
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->store_url, "sqlite:x.db");
  EXPECT_EQ(options->policy.public_url, "https://pay.example");
  EXPECT_EQ(options->address, "127.0.0.1");
  EXPECT_EQ(options->port, 8080);
  EXPECT_TRUE(options->migrate);
  EXPECT_EQ(options->io_threads, 1);
  EXPECT_EQ(options->policy.time_scale, 1.0);
  EXPECT_TRUE(options->allow_private.empty());
  EXPECT_TRUE(options->sandbox_channels.empty());
}

TEST_F(ConfigTest, EverySettingIsRead) {
  ::setenv(kVariable, "from the environment", 1);
  const auto options = read(R"(
store = "sqlite:/var/lib/finality/finality.db"
public_url = "https://pay.example"
listen = "10.0.0.5:9000"
migrate = false
io_threads = 64
time_scale = 2.5

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
  EXPECT_FALSE(options->migrate);
  EXPECT_EQ(options->io_threads, 64);
  EXPECT_EQ(options->policy.time_scale, 2.5);
  EXPECT_EQ(options->allow_private, (std::vector<std::string>{"127.0.0.1", "hooks.internal.example"}));

  ASSERT_EQ(options->sandbox_channels.size(), 2);
  const SandboxOptions& first = options->sandbox_channels[0];
  EXPECT_EQ(first.name, "sandbox");
  EXPECT_EQ(first.url, "http://127.0.0.1:8090");
  EXPECT_EQ(first.secret.reveal(), "from a file");
  EXPECT_EQ(first.public_url, "https://pay.example");
  const SandboxOptions& second = options->sandbox_channels[1];
  EXPECT_EQ(second.name, "sandbox2");
  EXPECT_EQ(second.url, "http://127.0.0.1:8091");
  EXPECT_EQ(second.secret.reveal(), "from the environment");
  EXPECT_EQ(second.public_url, "https://pay.example");
}

TEST_F(ConfigTest, TheLimitsThemselvesAreAllowed) {
  for (const char* setting : {"io_threads = 1", "io_threads = 64", "time_scale = 0.001", "time_scale = 100",
                              "listen = \"127.0.0.1:0\"", "listen = \"127.0.0.1:65535\"", "listen = \"0.0.0.0:80\"",
                              "migrate = true", "[webhooks]", "[webhooks]\nallow_private = []", "[channels]"}) {
    const auto options = read(kRequired + setting);
    EXPECT_TRUE(options) << setting << ": " << options.error().message;
  }
}

TEST_F(ConfigTest, AWholeNumberWillDoForTheTimeScale) {
  const auto options = read(kRequired + "time_scale = 100");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->policy.time_scale, 100.0);
}

struct BadConfig {
  std::string text;
  std::string complaint;  // what follows the file's name
};

class BadConfigs : public ConfigTest, public testing::WithParamInterface<BadConfig> {};

TEST_P(BadConfigs, AreRefusedByTheNameOfTheSetting) {
  const auto options = read(GetParam().text);
  ASSERT_FALSE(options) << GetParam().text;
  EXPECT_EQ(options.error().message, folder_.path("finality.toml") + ": " + GetParam().complaint);
}

std::string channel(const std::string& settings) { return kRequired + "[channels.sandbox]\n" + settings; }

const std::string kKind = "kind = \"sandbox\"\n";
const std::string kUrl = "url = \"http://127.0.0.1:8090\"\n";
const std::string kThreads = "io_threads must be from 1 to 64";
const std::string kListen = "listen must be ADDRESS:PORT";
const std::string kAllow = "webhooks.allow_private must be a list of texts";
const std::string kSecret = "channels.sandbox.secret_file or secret_env must name the channel's secret";

INSTANTIATE_TEST_SUITE_P(
    Config, BadConfigs,
    testing::Values(
        // missing
        BadConfig{"", "store is missing"}, BadConfig{"store = \"sqlite:x.db\"", "public_url is missing"},
        BadConfig{"public_url = \"https://pay.example\"", "store is missing"},
        BadConfig{"store = \"\"\npublic_url = \"https://pay.example\"", "store is missing"},
        BadConfig{"store = \"sqlite:x.db\"\npublic_url = \"\"", "public_url is missing"},
        // of another type
        BadConfig{"store = 5\npublic_url = \"https://pay.example\"", "store has the wrong type"},
        BadConfig{"store = \"sqlite:x.db\"\npublic_url = [\"x\"]", "public_url has the wrong type"},
        BadConfig{kRequired + "migrate = \"yes\"", "migrate has the wrong type"},
        BadConfig{kRequired + "io_threads = \"2\"", "io_threads has the wrong type"},
        BadConfig{kRequired + "io_threads = 1.5", "io_threads has the wrong type"},
        BadConfig{kRequired + "time_scale = \"2\"", "time_scale has the wrong type"},
        BadConfig{kRequired + "listen = 8080", "listen has the wrong type"},
        BadConfig{kRequired + "[webhooks]\nallow_private = \"127.0.0.1\"", kAllow},
        BadConfig{kRequired + "[webhooks]\nallow_private = [\"127.0.0.1\", 5]", kAllow},
        BadConfig{kRequired + "[webhooks]\nallow_private = [[\"127.0.0.1\"]]", kAllow},
        BadConfig{kRequired + "[channels]\nsandbox = 5", "channels.sandbox must be a table"},
        BadConfig{channel("kind = 5\n" + kUrl), "channels.sandbox.kind has the wrong type"},
        BadConfig{channel(kKind + "url = 8090\n"), "channels.sandbox.url has the wrong type"},
        BadConfig{channel(kKind + kUrl + "secret_file = 5"), "channels.sandbox.secret_file has the wrong type"},
        BadConfig{channel(kKind + kUrl + "secret_env = true"), "channels.sandbox.secret_env has the wrong type"},
        // beyond a limit
        BadConfig{kRequired + "io_threads = 0", kThreads}, BadConfig{kRequired + "io_threads = 65", kThreads},
        BadConfig{kRequired + "io_threads = -1", kThreads},
        BadConfig{kRequired + "io_threads = 9223372036854775807", kThreads},
        BadConfig{kRequired + "time_scale = 0", "time_scale must be above 0"},
        BadConfig{kRequired + "time_scale = -0.5", "time_scale must be above 0"},
        BadConfig{kRequired + "time_scale = -inf", "time_scale must be above 0"},
        BadConfig{kRequired + "listen = \"\"", kListen}, BadConfig{kRequired + "listen = \"8080\"", kListen},
        BadConfig{kRequired + "listen = \"127.0.0.1\"", kListen},
        BadConfig{kRequired + "listen = \"127.0.0.1:\"", kListen},
        BadConfig{kRequired + "listen = \"127.0.0.1:http\"", kListen},
        BadConfig{kRequired + "listen = \"127.0.0.1:80 \"", kListen},
        BadConfig{kRequired + "listen = \"127.0.0.1:-1\"", kListen},
        BadConfig{kRequired + "listen = \"127.0.0.1:65536\"", kListen},
        // no setting
        BadConfig{kRequired + "port = 8080", "port is no setting"},
        BadConfig{kRequired + "Listen = \"127.0.0.1:80\"", "Listen is no setting"},
        BadConfig{kRequired + "[webhook]", "webhook is no setting"},
        BadConfig{kRequired + "[webhooks]\nallow_all = true", "webhooks.allow_all is no setting"},
        BadConfig{channel(kKind + kUrl + "secret = \"told to all\""), "channels.sandbox.secret is no setting"},
        // channels
        BadConfig{channel(kUrl), "channels.sandbox.kind is missing"},
        BadConfig{channel("kind = \"bank\"\n" + kUrl), "channels.sandbox.kind must be sandbox"},
        BadConfig{channel(kKind), "channels.sandbox.url is missing"}, BadConfig{channel(kKind + kUrl), kSecret},
        BadConfig{channel(kKind + kUrl + "secret_file = \"/no/such/file\""), kSecret},
        BadConfig{channel(kKind + kUrl + "secret_file = \"/dev/null\""), kSecret},
        BadConfig{channel(kKind + kUrl + "secret_env = \"" + kVariable + "\""), kSecret}));

TEST_F(ConfigTest, TellsTheFirstMistakeOnly) {
  const auto options = read("io_threads = 0\nshoe = 1\n");
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message, folder_.path("finality.toml") + ": shoe is no setting");
}

TEST_F(ConfigTest, WhatIsNoTomlIsRefusedByItsLine) {
  const auto options = read(kRequired + "listen 8080\n");
  ASSERT_FALSE(options);
  EXPECT_TRUE(options.error().message.starts_with(folder_.path("finality.toml") + ":3: ")) << options.error().message;
}

TEST_F(ConfigTest, ASettingMayBeSaidOnlyOnce) {
  const auto options = read(kRequired + "store = \"sqlite:y.db\"\n");
  ASSERT_FALSE(options);
  EXPECT_TRUE(options.error().message.starts_with(folder_.path("finality.toml") + ":3: ")) << options.error().message;
}

TEST_F(ConfigTest, AFileThatIsNotThereIsNamed) {
  const auto options = read_config(folder_.path("nowhere.toml"));
  ASSERT_FALSE(options);
  EXPECT_TRUE(options.error().message.starts_with(folder_.path("nowhere.toml"))) << options.error().message;
}

TEST_F(ConfigTest, ANewlineAtTheEndOfASecretIsNoPartOfIt) {
  for (const char* text : {"top secret", "top secret\n", "top secret\n\n"}) {
    const auto secret = secret_by(secret_file(text));
    ASSERT_TRUE(secret) << secret.error().message;
    EXPECT_EQ(secret->reveal(), "top secret");
  }
  EXPECT_EQ(secret_by(secret_file(" a b\nc \n"))->reveal(), " a b\nc ");
}

TEST_F(ConfigTest, AFileOfNewlinesHoldsNoSecret) { EXPECT_FALSE(secret_by(secret_file("\n\n"))); }

TEST_F(ConfigTest, TheEnvironmentsSecretWinsOverTheFiles) {
  const std::string both = secret_file("from a file\n") + secret_env();
  EXPECT_EQ(secret_by(both)->reveal(), "from a file");
  ::setenv(kVariable, "from the environment\n", 1);
  EXPECT_EQ(secret_by(both)->reveal(), "from the environment");
}

TEST_F(ConfigTest, NoErrorShowsASecret) {
  const auto options = read(channel(kKind + "url = 5\n" + secret_file("top secret\n")));
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().message.find("top secret"), std::string::npos);
}

}  // namespace
}  // namespace finality::app
