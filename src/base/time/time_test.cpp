#include "base/time/time.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace finality {
namespace {

constexpr std::int64_t kYear0 = -62'167'219'200'000;     // 0000-01-01T00:00:00.000Z
constexpr std::int64_t kYear9999 = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z

TEST(Rfc3339, IsWrittenInUtcWithMilliseconds) {
  EXPECT_EQ(to_rfc3339({0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339({1'769'903'999'000}), "2026-01-31T23:59:59.000Z");
  EXPECT_EQ(to_rfc3339({-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_rfc3339({951'782'400'007}), "2000-02-29T00:00:00.007Z");
}

TEST(Rfc3339, RoundTrip) {
  EXPECT_TRUE(rc::check([] {
    const Time at{*rc::gen::inRange(kYear0, kYear9999 + 1)};
    RC_ASSERT(parse_rfc3339(to_rfc3339(at)) == at);
  }));
}

TEST(Rfc3339, ReadsEveryFormTheStandardAllows) {
  const Time at{1'769'903'999'000};
  for (const char* text : {"2026-01-31T23:59:59Z", "2026-01-31T23:59:59.0Z", "2026-01-31t23:59:59z",
                           "2026-01-31 23:59:59.000000Z", "2026-02-01T07:59:59+08:00", "2026-01-31T23:59:59-00:00",
                           "2026-01-31T18:29:59-05:30", "2026-02-01T05:29:59.000+05:30"})
    EXPECT_EQ(parse_rfc3339(text), at) << text;
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.1Z"), Time{100});
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00.1239999999999999999999Z"), Time{123}) << "cut, not rounded";
}

TEST(Rfc3339, TimesWithDifferentOffsetsAreTheSameInstant) {
  EXPECT_TRUE(rc::check([] {
    const Time at{*rc::gen::inRange<std::int64_t>(0, kYear9999 / 2)};
    const int minutes = *rc::gen::inRange(-23 * 60 - 59, 24 * 60);
    std::string text = to_rfc3339(at + std::chrono::minutes(minutes));
    text.pop_back();
    const int size = minutes < 0 ? -minutes : minutes;
    char offset[16];
    std::snprintf(offset, sizeof offset, "%c%02d:%02d", minutes < 0 ? '-' : '+', size / 60, size % 60);
    RC_ASSERT(parse_rfc3339(text + offset) == at);
  }));
}

TEST(Rfc3339, RejectsInvalidInstants) {
  for (const char* text : {"",
                           "2026",
                           "2026-01-31",
                           "2026-01-31T23:59Z",
                           "2026-01-31T23:59:59",
                           "2026-01-31T23:59:59.Z",
                           "2026-01-31T23:59:59,5Z",
                           "2026-02-29T00:00:00Z",
                           "2026-04-31T00:00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-01-00T00:00:00Z",
                           "2026-01-31T24:00:00Z",
                           "2026-01-31T23:60:00Z",
                           "2026-01-31T23:59:60Z",
                           "2026-01-31T23:59:59+0800",
                           "2026-01-31T23:59:59+8:00",
                           "2026-01-31T23:59:59+24:00",
                           "2026-01-31T23:59:59+08:60",
                           "2026-01-31T23:59:59+",
                           "2026-01-31T23:59:59Zx",
                           " 2026-01-31T23:59:59Z",
                           "2026-01-31T23:59:59 Z",
                           "26-01-31T23:59:59Z",
                           "2026/01/31T23:59:59Z",
                           "2026-1-31T23:59:59Z",
                           "-026-01-31T23:59:59Z",
                           "２026-01-31T23:59:59Z"})
    EXPECT_FALSE(parse_rfc3339(text).has_value()) << text;
}

TEST(Date, IsACalendarDay) {
  EXPECT_TRUE(is_date("2026-07-01"));
  EXPECT_TRUE(is_date("2028-02-29"));
  for (const char* text :
       {"", "2026-07", "2026-7-01", "2026-02-29", "2026-13-01", "2026-07-01 ", "2026-07-01T", "01.07.2026", "20260701"})
    EXPECT_FALSE(is_date(text)) << text;
}

TEST(Rfc3339, NoTextBreaksTheParser) {
  EXPECT_TRUE(rc::check([](const std::string& text) { parse_rfc3339(text); }));
  EXPECT_TRUE(rc::check([] {
    std::string text = "2026-01-31T23:59:59.123+08:00";
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text[at] = *rc::gen::arbitrary<char>();
    if (*rc::gen::arbitrary<bool>()) text.resize(at);
    const auto parsed = parse_rfc3339(text);
    if (parsed) RC_ASSERT(parse_rfc3339(to_rfc3339(*parsed)) == parsed);
  }));
}

}  // namespace
}  // namespace finality
