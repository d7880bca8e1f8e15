#include "channel/alipay/values.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/limits.h"

namespace finality::alipay {
namespace {

TEST(AlipayYuan, WritesTwoDecimals) {
  EXPECT_EQ(to_yuan(0), "0.00");
  EXPECT_EQ(to_yuan(1), "0.01");
  EXPECT_EQ(to_yuan(10), "0.10");
  EXPECT_EQ(to_yuan(123456), "1234.56");
  EXPECT_EQ(to_yuan(10'000'000'000), "100000000.00");
}

TEST(AlipayYuan, ParsesOnlyAmounts) {
  EXPECT_EQ(parse_yuan("12.34"), 1234);
  EXPECT_EQ(parse_yuan("12.3"), 1230);
  EXPECT_EQ(parse_yuan("12"), 1200);
  EXPECT_EQ(parse_yuan("0.01"), 1);
  EXPECT_EQ(parse_yuan("0012.34"), 1234);
  EXPECT_EQ(parse_yuan("10000000000000.00"), limits::kAmountMax);
  for (const char* text :
       {"", ".", "1.", ".5", "1.234", "-1.00", "+1.00", " 1.00", "1.00 ", "1,00", "1e2", "0x10", "1..0", "NaN", "1.0a",
        "１２", "10000000000000.01", "99999999999999999999.00", "100000000000000"})
    EXPECT_EQ(parse_yuan(text), std::nullopt) << text;
}

TEST(AlipayYuan, ParsesWhatItFormats) {
  EXPECT_TRUE(rc::check([] {
    const MinorUnits fen = *rc::gen::inRange<MinorUnits>(0, limits::kAmountMax);
    RC_ASSERT(parse_yuan(to_yuan(fen)) == fen);
  }));
}

TEST(AlipayYuan, ArbitraryTextIsParsedOrRejected) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const auto fen = parse_yuan(text);
    RC_ASSERT(!fen || (*fen >= 0 && *fen <= limits::kAmountMax));
  }));
}

TEST(AlipayTime, IsBeijingTime) {
  EXPECT_EQ(to_beijing(*parse_rfc3339("2026-11-21T15:59:59.999Z")), "2026-11-21 23:59:59");
  EXPECT_EQ(to_beijing(*parse_rfc3339("2026-11-21T16:00:00Z")), "2026-11-22 00:00:00");
  EXPECT_EQ(parse_beijing("2026-11-22 00:00:00"), parse_rfc3339("2026-11-21T16:00:00Z"));
  EXPECT_EQ(parse_beijing("2026-11-22 00:00:00.320"), parse_rfc3339("2026-11-21T16:00:00.320Z"));
}

TEST(AlipayTime, InvalidTextIsRejected) {
  for (const char* text :
       {"", "2026-11-22", "2026-11-22 ", "2026-11-22T00:00:00", "2026-11-22 00:00:00Z", "2026-11-22 00:00:00+08:00",
        "2026-02-30 00:00:00", "2026-11-22 24:00:00", "22.11.2026 0:00"})
    EXPECT_EQ(parse_beijing(text), std::nullopt) << text;
}

}  // namespace
}  // namespace finality::alipay
