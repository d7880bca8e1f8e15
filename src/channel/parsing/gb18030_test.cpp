#include "channel/parsing/gb18030.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/crypto/encoding.h"
#include "base/limits.h"

namespace finality {
namespace {

// Converts a text in chunks of this size.
std::string converted(std::string_view text, std::size_t chunk = 7) {
  std::string out;
  ParseBudget budget(0);
  auto decoder = Gb18030Decoder::open(budget, [&](std::string_view bytes) -> Result<void> {
    out += bytes;
    return {};
  });
  EXPECT_TRUE(decoder) << decoder.error().message;
  for (std::size_t at = 0; at < text.size(); at += chunk) EXPECT_TRUE(decoder->take(text.substr(at, chunk)));
  EXPECT_TRUE(decoder->finish());
  return out;
}

TEST(Gb18030, IsConvertedToUtf8InChunksOfAnySize) {
  // 汇总, then 㐀 (four bytes in GB18030), then ASCII
  const std::string text = "\xBB\xE3\xD7\xDC,\x81\x39\xEE\x39,12.30\r\n";
  for (std::size_t chunk = 1; chunk <= text.size(); ++chunk)
    EXPECT_EQ(converted(text, chunk), "汇总,㐀,12.30\r\n") << chunk;
  EXPECT_EQ(converted(""), "");
}

TEST(Gb18030, ALongTextIsConvertedCompletely) {
  std::string text = "x";  // so that characters cross the borders of pieces
  std::string expected = "x";
  for (int i = 0; i < 100'000; ++i) {
    text += "\xBB\xE3";
    expected += "汇";
  }
  EXPECT_EQ(converted(text, 1 << 20), expected);
}

TEST(Gb18030, InvalidBytesAreReplacedAndHideNoSeparator) {
  EXPECT_EQ(converted("a\xFF,b"), "a\uFFFD,b");
  EXPECT_EQ(converted("cut\xBB,next"), "cut\uFFFD,next") << "a text that is cut inside a character";
  EXPECT_EQ(converted("cut\xBB\r\n"), "cut\uFFFD\r\n");
  EXPECT_EQ(converted("end\xBB"), "end\uFFFD");
  EXPECT_EQ(converted("end\x81\x39\xEE"), "end\uFFFD9\uFFFD");
}

TEST(Gb18030, ReportsWhetherItHasReplacedAByte) {
  ParseBudget budget(0);
  auto decoder = Gb18030Decoder::open(budget, [](std::string_view) { return Result<void>(); });
  ASSERT_TRUE(decoder);
  EXPECT_TRUE(decoder->take("\xBB"));
  EXPECT_TRUE(decoder->take("\xE3"));
  EXPECT_TRUE(decoder->finish());
  EXPECT_FALSE(decoder->has_replaced());
  EXPECT_TRUE(decoder->take("cut\xBB"));
  EXPECT_FALSE(decoder->has_replaced());
  EXPECT_TRUE(decoder->finish());
  EXPECT_TRUE(decoder->has_replaced());
}

TEST(Gb18030, TheErrorOfTheSinkIsReturned) {
  ParseBudget budget(0);
  auto decoder = Gb18030Decoder::open(budget, [](std::string_view) { return Result<void>(fail("full")); });
  ASSERT_TRUE(decoder);
  EXPECT_EQ(decoder->take("abc").error().message, "full");
}

TEST(Gb18030, InvalidBytesCostMoreWork) {
  ParseBudget budget({.output_bytes_max = 1000, .work_max = 1000 + 10 * limits::kParseStepWork});
  auto decoder = Gb18030Decoder::open(budget, [](std::string_view) { return Result<void>(); });
  ASSERT_TRUE(decoder);
  EXPECT_TRUE(decoder->take(std::string(900, 'a')));
  EXPECT_TRUE(decoder->take(std::string(90, '\xFF')).error().message.contains("work limit"));
}

TEST(Gb18030, ArbitraryBytesBecomeUtf8) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(is_utf8(converted(bytes)));
    RC_ASSERT(converted(bytes, 1) == converted(bytes, 1000));
  }));
}

}  // namespace
}  // namespace finality
