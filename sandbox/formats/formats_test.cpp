// Tests of the channels' formats: China time, yuan, character sets.
#include <gtest/gtest.h>

#include <chrono>

#include "sandbox/core/china_time.h"
#include "sandbox/formats/charset.h"
#include "sandbox/formats/yuan.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

Time utc(const char* text) { return parse_rfc3339(text).value(); }

TEST(ChinaTime, IsEightHoursAhead) {
  const Time at = utc("2026-11-21T18:30:05.999Z");
  EXPECT_EQ(china_date(at), "2026-11-22");
  EXPECT_EQ(china_time(at), "2026-11-22 02:30:05");
  EXPECT_EQ(china_rfc3339(at), "2026-11-22T02:30:05+08:00");
  EXPECT_EQ(parse_china_time("2026-11-22 02:30:05"), utc("2026-11-21T18:30:05Z"));
  for (const char* wrong : {"", "2026-11-22", "2026-11-22T02:30:05", "2026-11-22 02:30:65", "2026-11-22 2:30:05"})
    EXPECT_FALSE(parse_china_time(wrong)) << wrong;
}

TEST(ChinaTime, DaysAndMonthsEndAtTheNextOnesBegin) {
  const std::optional<Day> day = parse_china_day("2026-11-22");
  ASSERT_TRUE(day);
  EXPECT_EQ(day->begin, utc("2026-11-21T16:00:00Z"));
  EXPECT_EQ(day->end, utc("2026-11-22T16:00:00Z"));
  EXPECT_EQ(parse_china_day("2026-02")->end, utc("2026-02-28T16:00:00Z"));
  EXPECT_EQ(parse_china_day("2026-12")->end, utc("2026-12-31T16:00:00Z"));
  for (const char* wrong : {"", "2026", "2026-13", "2026-02-30", "2026-1-1", "2026-11-22 "})
    EXPECT_FALSE(parse_china_day(wrong)) << wrong;
}

TEST(Yuan, IsFormattedWithTwoDecimalsAndParsedWithUpToTwo) {
  EXPECT_EQ(to_yuan(0), "0.00");
  EXPECT_EQ(to_yuan(5), "0.05");
  EXPECT_EQ(to_yuan(1234), "12.34");
  EXPECT_EQ(to_yuan(-5), "-0.05");
  EXPECT_EQ(to_yuan(-1234), "-12.34");
  EXPECT_EQ(parse_yuan("12.34"), 1234);
  EXPECT_EQ(parse_yuan("12.3"), 1230);
  EXPECT_EQ(parse_yuan("12"), 1200);
  EXPECT_EQ(parse_yuan("0.01"), 1);
  for (const char* wrong : {"", ".5", "5.", "1.234", "-1", "+1", "1e3", " 1", "1,000.00", "12345678901234"})
    EXPECT_FALSE(parse_yuan(wrong)) << wrong;
}

TEST(Charset, ReplacesCharactersThatGbkLacks) {
  EXPECT_EQ(encode(kGbk, "abc"), "abc");
  EXPECT_EQ(encode(kGbk, "支付宝"), "\xd6\xa7\xb8\xb6\xb1\xa6");
  EXPECT_EQ(encode(kGbk, "茶🍵x"), "\xb2\xe8?x");
  EXPECT_EQ(encode(kGbk,
                   "a\xff"
                   "b"),
            "a?b");
  EXPECT_EQ(encode(kGbk, ""), "");
}

TEST(Charset, DecodesWhatItEncodes) {
  const std::string text = "茶 Tea \"x\"";
  for (const char* name : {"utf-8", "UTF-8", "GBK", "gbk", "GB2312", "gb2312", "GB18030"}) {
    const Charset* charset = find_charset(name);
    ASSERT_NE(charset, nullptr) << name;
    EXPECT_EQ(decode(*charset, encode(*charset, text)), text) << name;
  }
  EXPECT_EQ(decode(*find_charset("GB18030"), encode(*find_charset("GB18030"), "🍵")), "🍵");
  EXPECT_EQ(decode(kGbk, "\xb2"), std::nullopt) << "an incomplete character";
  EXPECT_EQ(decode(kGbk, "a\xff"), std::nullopt);
  for (const char* name : {"", "BIG5", "GBK ", "utf8"}) EXPECT_EQ(find_charset(name), nullptr) << name;
}

}  // namespace
}  // namespace finality::sandbox
