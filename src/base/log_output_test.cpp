#include "base/log_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>

namespace finality::log {
namespace {

class LogOutputTest : public testing::Test {
 protected:
  LogOutputTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    EXPECT_GE(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(::fcntl(ends_[1], F_SETPIPE_SZ, kPipePages * PIPE_BUF), kPipePages * PIPE_BUF);
  }
  ~LogOutputTest() override {
    hang_up();
    ::close(ends_[1]);
  }
  void hang_up() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  std::string read() const {
    std::string text;
    std::array<char, PIPE_BUF> part{};
    for (ssize_t count; (count = ::read(ends_[0], part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(count));
    return text;
  }

  static constexpr int kPipePages = 4;
  const std::string page_ = std::string(PIPE_BUF - 1, 'x') + "\n";

  LogOutput make() const {
    return {ends_[1], [](std::uint64_t dropped) { return "dropped " + std::to_string(dropped) + "\n"; }};
  }

  std::array<int, 2> ends_{};
};

TEST_F(LogOutputTest, WritesLinesToTheReader) {
  LogOutput output = make();
  output.write("one\n");
  output.write("two\n");
  EXPECT_EQ(read(), "one\ntwo\n");
}

TEST_F(LogOutputTest, DropsLinesWhileTheReaderDoesNotReadAndCountsThem) {
  LogOutput output = make();
  for (int i = 0; i < kPipePages; ++i) output.write(page_);
  for (int i = 0; i < 3; ++i) output.write("lost\n");  // each would block
  EXPECT_EQ(read().size(), kPipePages * page_.size());
  output.write("next\n");
  output.write("last\n");
  EXPECT_EQ(read(), "dropped 3\nnext\nlast\n");
}

TEST_F(LogOutputTest, CompletesALineWhoseBeginningWasWritten) {
  LogOutput output = make();
  for (int i = 1; i < kPipePages; ++i) output.write(page_);
  const std::string longer = std::string(PIPE_BUF + 10, 'y') + "\n";
  output.write(longer);
  output.write("lost\n");
  std::string text = read();
  EXPECT_EQ(text.size(), kPipePages * page_.size());
  output.write("next\n");
  text += read();
  EXPECT_TRUE(text.ends_with("x\n" + longer + "dropped 1\nnext\n")) << text.substr(text.size() - 200);
}

TEST_F(LogOutputTest, SurvivesAReaderThatHasGone) {
  LogOutput output = make();
  hang_up();
  for (int i = 0; i < 3; ++i) output.write("lost\n");
}

TEST_F(LogOutputTest, WritesAgainWhenAReaderReturns) {
  LogOutput output = make();
  hang_up();
  output.write("lost\n");
  // Opens the pipe again for reading, as a restarted log reader does with a named pipe.
  ends_[0] = ::open(("/proc/self/fd/" + std::to_string(ends_[1])).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(ends_[0], 0);
  output.write("next\n");
  EXPECT_EQ(read(), "dropped 1\nnext\n");
}

}  // namespace
}  // namespace finality::log
