#include "app/config/config_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "app/config/channel_settings.h"
#include "app/config/config.h"
#include "base/testing/temporary_directory.h"

namespace finality::app {
namespace {

class IncludedFiles : public testing::Test {
 protected:
  IncludedFiles() { write("secret", "secret"); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder_.file(name)).parent_path());
    std::ofstream(folder_.file(name), std::ios::binary) << text;
  }
  /// A section of a sandbox channel, with two lines more than `[channels.NAME]` and `url`.
  std::string channel(const std::string& name) const {
    return "[channels." + name + "]\nkind = \"sandbox\"\nurl = \"http://127.0.0.1:8090/" + name +
           "\"\nsecret_file = \"" + folder_.file("secret") + "\"\n";
  }
  Result<NodeOptions> read(const std::string& rest = "include = \"channels.d/*.toml\"\n") const {
    write("finality.toml", "store = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n" + rest);
    return read_config(folder_.file("finality.toml"));
  }
  /// The error for the included file channels.d/a.toml with that text, without the path of its directory.
  std::string complaint_about(const std::string& text) const {
    write("channels.d/a.toml", text);
    const auto options = read();
    return options ? "nothing" : options.error().message.substr(folder_.file("channels.d/").size());
  }

  TemporaryDirectory folder_;
};

std::vector<std::string> names_in(const NodeOptions& options) {
  std::vector<std::string> names;
  for (const ChannelAccountSettings& account : options.channel_accounts) names.push_back(account.channel);
  return names;
}

TEST_F(IncludedFiles, AddTheirSectionsToThoseOfTheFile) {
  write("channels.d/a.toml", channel("a") + "[bank_accounts.icbc]\ncurrency = \"CNY\"\nnumber = \"6222\"\n");
  write("channels.d/b.toml", channel("b1") + channel("b2"));
  write("channels.d/b.toml.bak", "not TOML");
  write("channels.d/.hidden.toml", "not TOML");
  const auto options = read("include = \"channels.d/*.toml\"\n" + channel("main"));
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(names_in(*options), (std::vector<std::string>{"a", "b1", "b2", "main"}));
  EXPECT_EQ(options->bank_accounts.at(0).name, "icbc");
  EXPECT_EQ(options->included_files,
            (std::vector{folder_.file("channels.d/a.toml"), folder_.file("channels.d/b.toml")}));
  EXPECT_TRUE(options->warnings.empty());
}

TEST_F(IncludedFiles, MayContainAllChannels) {
  write("channels.d/a.toml", channel("a"));
  EXPECT_EQ(names_in(*read()), std::vector<std::string>{"a"});
}

TEST_F(IncludedFiles, ArePathsRelativeToTheFileThatIncludesThem) {
  write("a[b*]/channels.d/a.toml", channel("a"));
  write("a[b*]/finality.toml",
        "include = \"channels.d/*.toml\"\nstore = \"sqlite:x.db\"\npublic_url = \"https://pay.example\"\n");
  const auto options = read_config(folder_.file("a[b*]/finality.toml"));
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(names_in(*options), std::vector<std::string>{"a"});
  write("elsewhere/c.toml", channel("c"));
  EXPECT_EQ(names_in(*read("include = \"" + folder_.file("elsewhere/*.toml") + "\"\n")), std::vector<std::string>{"c"});
}

TEST_F(IncludedFiles, ThatDoNotExistAreAWarning) {
  std::filesystem::create_directory(folder_.file("channels.d"));
  for (const char* pattern : {"channels.d/*.toml", "channels.d/*/x.toml", "*.conf"}) {
    const auto options = read("include = \"" + std::string(pattern) + "\"\n" + channel("main"));
    ASSERT_TRUE(options) << options.error().message;
    ASSERT_EQ(options->warnings.size(), 1u);
    EXPECT_EQ(options->warnings[0].message, "the setting include matches no file");
    EXPECT_EQ(options->warnings[0].detail, pattern);
  }
}

TEST_F(IncludedFiles, AnIncludeThatCanMatchNoFileIsAnError) {
  std::filesystem::create_directory(folder_.file("channels.d"));
  const auto complaint = [&](const std::string& pattern) {
    const auto options = read("include = \"" + pattern + "\"\n");
    return options ? "nothing" : options.error().message.substr(folder_.file("finality.toml:3: ").size());
  };
  const auto missing = [&](const std::string& name) {
    return "include names " + folder_.file(name) + ", which does not exist";
  };
  EXPECT_EQ(complaint("channels.d/tea.toml"), missing("channels.d/tea.toml"));
  EXPECT_EQ(complaint("chanels.d/*.toml"), missing("chanels.d"));
  EXPECT_EQ(complaint("{a,b}.toml"), missing("{a,b}.toml"));
  EXPECT_EQ(complaint("~/*.toml"), missing("~"));
  EXPECT_EQ(complaint("channels.d"), "include names a directory: write channels.d/*.toml");
  EXPECT_EQ(complaint("finality.toml/*"),
            "include names " + folder_.file("finality.toml") + ", which is not a directory");
  EXPECT_EQ(complaint("channels.d/[a-z.toml"), "nothing") << "glob(7): an open bracket is a character";
}

TEST_F(IncludedFiles, ANamedPipeIsRefusedAndNotRead) {
  std::filesystem::create_directory(folder_.file("channels.d"));
  ASSERT_EQ(::mkfifo(folder_.file("channels.d/a.toml").c_str(), 0600), 0);
  EXPECT_TRUE(read().error().message.ends_with("a.toml, which is not a regular file"));
}

TEST_F(IncludedFiles, ContainOnlySectionsWithNames) {
  const std::string refused =
      " is not allowed in an included file, which contains only [bank_accounts.NAME] and [channels.NAME]";
  EXPECT_EQ(complaint_about("[[routes]]\nchannels = [\"a\"]\n"), "a.toml:1: routes" + refused);
  EXPECT_EQ(complaint_about(channel("a") + "\n[log]\nlevel = \"info\"\n"), "a.toml:6: log" + refused);
  EXPECT_EQ(complaint_about("include = \"x\"\n"), "a.toml:1: include" + refused);
  EXPECT_EQ(complaint_about("\nchannels = 7\n"), "a.toml:2: channels must be a table");
}

TEST_F(IncludedFiles, ErrorsNameFileAndLine) {
  EXPECT_TRUE(complaint_about("[channels.a]\nkind = \"tea\"\n").starts_with("a.toml:2: channels.a.kind must be"));
  EXPECT_TRUE(complaint_about("[channels.a]\nkind = \"sandbox\"\n").starts_with("a.toml:1: channels.a.url is missing"));
  EXPECT_TRUE(complaint_about("\n\nchannels\n").starts_with("a.toml:3: "));
  std::filesystem::create_directory(folder_.file("channels.d/b.toml"));
  EXPECT_TRUE(complaint_about(channel("a")).contains("b.toml, which is not a regular file"));
}

TEST_F(IncludedFiles, ANameThatIsDefinedTwiceNamesBothFiles) {
  write("channels.d/a.toml", "\n" + channel("tea"));
  write("channels.d/b.toml", channel("tea"));
  const std::string a = folder_.file("channels.d/a.toml"), b = folder_.file("channels.d/b.toml");
  EXPECT_EQ(read().error().message, b + ":1: channels.tea is already defined in " + a + ":2: use another name");
  std::filesystem::remove(b);
  const std::string file = folder_.file("finality.toml");
  EXPECT_EQ(read("include = \"channels.d/*.toml\"\n" + channel("tea")).error().message,
            a + ":2: channels.tea is already defined in " + file + ":4: use another name");
}

TEST_F(IncludedFiles, DoNotIncludeTheFileItself) {
  EXPECT_TRUE(read("include = \"*.toml\"\n")
                  .error()
                  .message.contains(":3: include must not match the file that contains it: use a directory"));
}

TEST_F(IncludedFiles, WithoutAPatternAreAnError) {
  for (const char* pattern : {"7", "\"\"", "[\"a.toml\"]"})
    EXPECT_TRUE(
        read("include = " + std::string(pattern) + "\n").error().message.contains(":3: include must be a non-empty"))
        << pattern;
}

TEST_F(IncludedFiles, AreLimitedByCount) {
  const auto listed = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) write("many/" + std::to_string(i) + ".toml", "");
    return read("include = \"many/*.toml\"\n");
  };
  EXPECT_TRUE(listed(kIncludedFilesMax));
  EXPECT_TRUE(listed(kIncludedFilesMax + 1)
                  .error()
                  .message.ends_with(":3: include must match at most 1000 files, but matches 1001"));
}

TEST_F(IncludedFiles, ChannelsOfAllFilesAreLimitedByCount) {
  const auto written = [&](std::size_t count) {
    std::string text[2];
    for (std::size_t i = 0; i < count; ++i) text[i % 2] += channel("shop_" + std::to_string(i));
    for (std::size_t i = 0; i < 2; ++i) write("channels.d/" + std::to_string(i) + ".toml", text[i]);
    return read();
  };
  EXPECT_EQ(written(kChannelsMax)->channel_accounts.size(), kChannelsMax);
  EXPECT_TRUE(written(kChannelsMax + 1)
                  .error()
                  .message.ends_with("1001 channels are configured, in all files together; the maximum is 1000"));
}

TEST_F(IncludedFiles, BytesOfAllFilesAreLimited) {
  std::string text;
  while (text.size() < kConfigBytesMax / 2) text += "#" + std::string(1000, '-') + "\n";
  write("channels.d/a.toml", text);
  EXPECT_TRUE(read());
  write("channels.d/b.toml", text);
  EXPECT_TRUE(read().error().message.ends_with("all files of a configuration together have at most 4194304 bytes"));
}

}  // namespace
}  // namespace finality::app
