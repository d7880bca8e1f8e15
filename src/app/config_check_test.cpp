#include "app/config_check.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/config/config.h"
#include "base/testing/temporary_directory.h"

namespace finality::app {
namespace {

class CheckedConfig : public testing::Test {
 protected:
  CheckedConfig() { write("secret", "secret", 0600); }

  void write(const std::string& name, const std::string& text, mode_t mode) const {
    std::ofstream(folder_.file(name)) << text;
    ::chmod(folder_.file(name).c_str(), mode);
  }
  std::string sandbox() const {
    return "[channels.sandbox]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090\"\nsecret_file = \"" +
           folder_.file("secret") + "\"\n";
  }
  std::string store_file() const { return folder_.file("finality.db"); }
  ConfigReport check(const std::string& settings) const {
    write("finality.toml", "store = \"sqlite:" + store_file() + "\"\npublic_url = \"https://pay.example\"\n" + settings,
          0600);
    auto options = read_config(folder_.file("finality.toml"));
    EXPECT_TRUE(options) << options.error().message;
    return options ? check_config(std::move(*options)) : ConfigReport{};
  }
  void make_store() const { ASSERT_TRUE(open_store({.url = "sqlite:" + store_file()})); }

  TemporaryDirectory folder_;
};

bool has(const std::vector<std::string>& texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](const std::string& text) { return text.contains(part); });
}

std::string fact(const ConfigReport& report, std::string_view name) {
  const auto found = std::ranges::find(report.facts, name, [](const auto& one) { return std::string_view(one.first); });
  return found == report.facts.end() ? "" : found->second;
}

TEST_F(CheckedConfig, AValidConfigurationHasNoWarnings) {
  make_store();
  const ConfigReport report = check(sandbox() + "[[routes]]\nchannels = [\"sandbox\"]\n");
  EXPECT_TRUE(report.errors.empty()) << report.errors.front();
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
  EXPECT_EQ(fact(report, "channels"), "1 enabled (sandbox 1), 0 disabled");
  EXPECT_EQ(fact(report, "routes"), "1");
  EXPECT_TRUE(fact(report, "store").ends_with("finality.db, can be opened"));
}

TEST_F(CheckedConfig, AMissingStoreIsAWarningOnlyIfTheServerCreatesIt) {
  const ConfigReport created = check(sandbox());
  EXPECT_TRUE(created.errors.empty());
  EXPECT_TRUE(has(created.warnings, "the server creates it"));
  EXPECT_FALSE(std::filesystem::exists(store_file())) << "a check writes nothing";
  EXPECT_TRUE(has(check("migrate = false\n" + sandbox()).errors, "store: "));
}

TEST_F(CheckedConfig, AStoreThatCannotBeOpenedIsAnError) {
  write("finality.db", "no database", 0600);
  const ConfigReport report = check(sandbox());
  EXPECT_TRUE(has(report.errors, "store: "));
  EXPECT_TRUE(fact(report, "store").ends_with("cannot be opened"));
}

TEST_F(CheckedConfig, AWrongRouteIsAnError) {
  EXPECT_TRUE(
      has(check(sandbox() + "[[routes]]\nchannels = [\"tea\"]\n").errors, "routes[0].channels: unknown channel"));
}

TEST_F(CheckedConfig, ASecretThatOthersCanReadIsAWarning) {
  write("secret", "secret", 0644);
  write("statements.secret", std::string(32, 's'), 0604);
  const ConfigReport report =
      check("[statements]\nkey_file = \"" + folder_.file("statements.secret") + "\"\n" + sandbox());
  EXPECT_TRUE(report.errors.empty());
  EXPECT_TRUE(has(report.warnings, "channels.sandbox: other users can access " + folder_.file("secret")));
  EXPECT_TRUE(has(report.warnings, "the mode 0604: run chmod o= " + folder_.file("statements.secret")));
}

TEST_F(CheckedConfig, WarningsOfTheSettingsAreInTheReport) {
  const ConfigReport report = check("include = \"*.nothing\"\n[archive]\ndirectory = \"/nowhere\"\n");
  EXPECT_TRUE(report.errors.empty());
  EXPECT_TRUE(has(report.warnings, "the setting include matches no file: *.nothing"));
  EXPECT_TRUE(has(report.warnings, "no channel is configured: "));
  EXPECT_TRUE(has(report.warnings, "archive.directory: /nowhere is not a directory"));
}

}  // namespace
}  // namespace finality::app
