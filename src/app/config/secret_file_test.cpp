#include "app/config/secret_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/testing/temporary_directory.h"

namespace finality::app {
namespace {

class SecretFileTest : public testing::Test {
 protected:
  std::string path() const { return folder_.file("shared.secret"); }
  void write(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

  TemporaryDirectory folder_;
};

TEST_F(SecretFileTest, AMissingSecretIsCreatedOnceAndReadableByItsOwnerOnly) {
  const auto made = read_or_make_secret(path());
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->reveal().size(), 64);
  EXPECT_EQ(read_or_make_secret(path())->reveal(), made->reveal());
  EXPECT_EQ(read_secret(path())->reveal(), made->reveal());
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SecretFileTest, AnExistingFileIsNeverReplaced) {
  for (const std::string text : {"", "\r\n"}) {
    write(text);
    const auto secret = read_or_make_secret(path());
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.error().message, path() + " is empty");
    EXPECT_EQ(read_file(path()), text);
  }
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_EQ(read_or_make_secret(path()).error().message, "cannot read " + path() + ": Is a directory");
}

TEST_F(SecretFileTest, AnUnreachableSecretIsNotCreated) {
  write("a file, no folder");
  const std::string below = path() + "/shared.secret";
  EXPECT_EQ(read_secret(below).error().message, "cannot read " + below + ": Not a directory");
  EXPECT_FALSE(read_or_make_secret(below));
  const std::string circle = folder_.file("circle");
  std::filesystem::create_symlink(circle, circle);
  EXPECT_EQ(read_or_make_secret(circle).error().message,
            "cannot read " + circle + ": Too many levels of symbolic links");
  EXPECT_TRUE(std::filesystem::is_symlink(circle));
}

TEST_F(SecretFileTest, AFileThatAllUsersCanReadIsReportedWithTheCommandToRun) {
  std::string lines;
  const auto lines_of = [&](mode_t mode) {
    EXPECT_EQ(::chmod(path().c_str(), mode), 0);
    lines.clear();
    log::observe([&](std::string_view line) { lines += line; });
    warn_of_wide_mode(path());
    log::observe(nullptr);
    return lines;
  };
  write("4711 as content");
  EXPECT_TRUE(lines_of(0644).contains("chmod o= " + path())) << lines;
  EXPECT_TRUE(lines.contains("mode=0644")) << lines;
  EXPECT_FALSE(lines.contains("4711")) << lines;
  EXPECT_EQ(lines_of(0640), "");
  EXPECT_EQ(lines_of(0600), "");
}

TEST_F(SecretFileTest, ATrailingLineEndIsNotPartOfTheSecret) {
  write(" a\r\nb \r\n");
  EXPECT_EQ(read_secret(path())->reveal(), " a\r\nb ");
}

TEST_F(SecretFileTest, ASecretIsAsLongAsTheLimitAtMost) {
  write(std::string(kSecretBytesMax, 'x'));
  EXPECT_TRUE(read_secret(path()));
  write(std::string(kSecretBytesMax + 1, 'x'));
  EXPECT_EQ(read_secret(path()).error().message, path() + " is longer than 4096 bytes");
}

}  // namespace
}  // namespace finality::app
