#include "channel/parsing/inflate.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "channel/testing/statement_fixtures.h"

namespace finality {
namespace {

using Inflate = Result<void> (*)(std::string_view, ParseBudget&, const ByteSink&);

// The unpacked text. `bytes_max` limits the bytes that the sink receives, too.
Result<std::string> unpacked(Inflate inflate, std::string_view packed, std::size_t bytes_max) {
  std::string text;
  ParseBudget budget({.output_bytes_max = bytes_max, .work_max = 2 * (bytes_max + packed.size())});
  const auto done = inflate(packed, budget, [&](std::string_view bytes) -> Result<void> {
    text += bytes;
    EXPECT_LE(text.size(), bytes_max);
    return {};
  });
  if (!done) return std::unexpected(done.error());
  return text;
}

TEST(Inflate, UnpacksGzipAndRawDeflate) {
  for (const std::size_t size : {0, 1, 65'535, 65'536, 65'537, 1'000'000}) {
    const std::string text(size, 'a');
    EXPECT_EQ(unpacked(inflate_gzip, gzip(text), size).value(), text) << size;
    EXPECT_EQ(unpacked(inflate_raw, raw_deflated(text), size).value(), text) << size;
  }
}

TEST(Inflate, AZipFileIsNamed) {
  const auto refused = unpacked(unpack_gzip_or_plain, "PK\3\4 and its files", 1'000);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("the file is a ZIP archive")) << refused.error().message;
}

TEST(Inflate, OutputAboveTheLimitIsRejected) {
  const std::string text(1'000'000, 'a');
  EXPECT_LT(gzip(text).size(), 2'000U);
  for (const std::size_t allowed : {0, 1, 65'536, 999'999}) {
    EXPECT_FALSE(unpacked(inflate_gzip, gzip(text), allowed));
    EXPECT_FALSE(unpacked(unpack_gzip_or_plain, text, allowed));
  }
}

TEST(Inflate, TruncatedAndExtendedInputIsRejected) {
  const std::string whole = gzip("the statement of one day");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(unpacked(inflate_gzip, whole.substr(0, size), 1000)) << size;
  EXPECT_FALSE(unpacked(inflate_gzip, whole + "x", 1000));
  EXPECT_FALSE(unpacked(inflate_gzip, whole + whole, 1000));
}

TEST(Inflate, GzipAndRawDeflateAreNotInterchangeable) {
  EXPECT_FALSE(unpacked(inflate_raw, gzip("abc"), 1000));
  EXPECT_FALSE(unpacked(inflate_gzip, raw_deflated("abc"), 1000));
}

TEST(Inflate, AFileThatIsNotPackedIsPassedOn) {
  EXPECT_EQ(unpacked(unpack_gzip_or_plain, gzip("abc"), 3).value(), "abc");
  EXPECT_EQ(unpacked(unpack_gzip_or_plain, "abc", 3).value(), "abc");
  EXPECT_EQ(unpacked(unpack_gzip_or_plain, "", 0).value(), "");
}

TEST(Inflate, TheErrorOfTheSinkStopsIt) {
  int chunks = 0;
  ParseBudget budget(0);
  const auto done = inflate_gzip(gzip(std::string(1'000'000, 'a')), budget, [&](std::string_view) -> Result<void> {
    ++chunks;
    return fail("full");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "full");
  EXPECT_EQ(chunks, 1);
}

TEST(Inflate, AGzipBombIsRefusedByItsOutputAndByItsWork) {
  const std::string bomb = gzip(std::string(64 << 20, '\0'));
  ASSERT_LT(bomb.size(), 80'000U);
  std::uint64_t passed = 0;
  const ByteSink count = [&](std::string_view bytes) {
    passed += bytes.size();
    return Result<void>{};
  };
  ParseBudget budget(bomb.size());
  EXPECT_TRUE(inflate_gzip(bomb, budget, count).error().message.contains("output limit of"));
  EXPECT_LE(passed, budget.limits().output_bytes_max);
  passed = 0;
  ParseBudget work({.input_bytes = bomb.size(), .output_bytes_max = 64 << 20, .work_max = 1'000'000});
  EXPECT_TRUE(inflate_gzip(bomb, work, count).error().message.contains("work limit of 1000000 units"));
  EXPECT_LE(passed, 1'000'000U);
}

TEST(Inflate, AStopEndsItWithinOneStep) {
  const std::string text(16 << 20, 'a');
  for (const std::string& file : {gzip(text), text}) {
    std::stop_source stop;
    ParseBudget budget(file.size(), stop.get_token());
    std::size_t passed = 0;
    const auto done = unpack_gzip_or_plain(file, budget, [&](std::string_view bytes) {
      passed += bytes.size();
      if (passed >= 1'000'000) stop.request_stop();
      return Result<void>{};
    });
    EXPECT_FALSE(done);
    EXPECT_TRUE(budget.is_stopped());
    EXPECT_LT(passed, 1'200'000U);
  }
}

TEST(Inflate, ArbitraryBytesAreUnpackedWithinTheLimitOrRejected) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const auto out = unpacked(inflate_raw, bytes, 100);
    RC_ASSERT(!out || out->size() <= 100);
  }));
}

}  // namespace
}  // namespace finality
