#include "app/key_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/log.h"
#include "base/testing/temporary_directory.h"

namespace finality::app {
namespace {

class KeyWatchTest : public testing::Test {
 protected:
  KeyWatchTest() { log::set_level(log::Level::off); }
  ~KeyWatchTest() override { log::set_level(log::Level::info); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder_.file(name);
    std::ofstream(path + ".new") << text;
    std::filesystem::rename(path + ".new", path);  // atomic, as recommended for keys
    return path;
  }
  KeyWatch::Keys keys(const std::string& channel, std::vector<std::string> files) {
    auto seen = KeyWatch::stamps_of(files);
    return {channel, std::move(files), std::move(seen), [this, channel]() -> Result<void> {
              loaded_ += channel + ' ';
              return broken_ ? Result<void>(fail("no key")) : Result<void>();
            }};
  }

  TemporaryDirectory folder_;
  std::string loaded_;
  bool broken_ = false;
};

TEST_F(KeyWatchTest, LoadsOnlyChangedKeys) {
  const std::string a = write("a", "1"), b = write("b", "1"), shared = write("shared", "1");
  KeyWatch watch({keys("first", {a, shared}), keys("second", {b, shared}), keys("third", {})});
  EXPECT_EQ(watch.look(), 0u) << "no change since the keys were loaded";
  write("b", "2");
  EXPECT_EQ(watch.look(), 1u);
  EXPECT_EQ(watch.look(), 0u);
  EXPECT_EQ(loaded_, "second ");
  write("shared", "2");
  EXPECT_EQ(watch.look(), 2u);
  EXPECT_EQ(loaded_, "second first second ");
}

// The server loads the keys before it opens the store, which can take minutes; look() runs only afterwards.
TEST_F(KeyWatchTest, DetectsChangesBetweenTheStartAndTheFirstLook) {
  const std::string file = write("a", "1");
  std::vector<KeyWatch::Keys> loaded{keys("first", {file})};
  write("a", "2");
  KeyWatch watch(std::move(loaded));
  EXPECT_EQ(watch.look(), 1u);
  EXPECT_EQ(watch.look(), 0u);
}

TEST_F(KeyWatchTest, LoadsAllKeysOnRequest) {
  KeyWatch watch({keys("first", {write("a", "1")}), keys("second", {})});
  EXPECT_EQ(watch.load_all(), 2u);
  EXPECT_EQ(loaded_, "first second ");
}

TEST_F(KeyWatchTest, AFailedLoadIsRetriedWhenAFileChanges) {
  const std::string file = write("a", "1");
  KeyWatch watch({keys("first", {file})});
  broken_ = true;
  write("a", "broken");
  EXPECT_EQ(watch.look(), 0u);
  EXPECT_EQ(watch.look(), 0u);
  EXPECT_EQ(loaded_, "first ") << "one attempt per change";
  std::filesystem::remove(file);
  EXPECT_EQ(watch.look(), 0u);
  broken_ = false;
  write("a", "2");
  EXPECT_EQ(watch.look(), 1u);
}

}  // namespace
}  // namespace finality::app
