#include "base/time/unix_time.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace finality {
namespace {

TEST(UnixSeconds, AreCutNotRounded) {
  EXPECT_EQ(to_unix_seconds(Time{0}), "0");
  EXPECT_EQ(to_unix_seconds(Time{1'790'000'000'999}), "1790000000");
}

TEST(UnixSeconds, RoundTrip) {
  rc::check("any second", [] {
    const std::int64_t seconds = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
    RC_ASSERT(parse_unix_seconds(to_unix_seconds(Time{seconds * 1000})) == Time{seconds * 1000});
  });
}

TEST(UnixSeconds, RejectsTextThatIsNotOnlyDigits) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "1e9", "0x10", "1790000000000", "99999999999999999999"})
    EXPECT_FALSE(parse_unix_seconds(text)) << text;
}

}  // namespace
}  // namespace finality
