#include "channel/parsing/statement_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

#include "base/crypto/encoding.h"

namespace finality {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(StatementValues, DecimalsAreParsedExactly) {
  EXPECT_EQ(parse_decimal("12.30", 2, kMax), 1230);
  EXPECT_EQ(parse_decimal("12.3", 2, kMax), 1230);
  EXPECT_EQ(parse_decimal("12", 2, kMax), 1200);
  EXPECT_EQ(parse_decimal("-0.01", 2, kMax), -1);
  EXPECT_EQ(parse_decimal("+7", 0, kMax), 7);
  EXPECT_EQ(parse_decimal("-0.00", 2, kMax), 0);
  EXPECT_EQ(parse_decimal("0.57000", 5, kMax), 57'000);
  EXPECT_EQ(parse_decimal("92233720368547758.07", 2, kMax), kMax);
}

TEST(StatementValues, OtherTextsAreNoDecimals) {
  for (const char* text : {"", "-", ".", "1.", ".5", "1.234", "1,000.00", "1e2", " 1", "1 ", "--1", "+-1", "0x1",
                           "1.-5", "１", "92233720368547758.08", "99999999999999999999", "NaN", "1.2.3"})
    EXPECT_EQ(parse_decimal(text, 2, kMax), std::nullopt) << text;
  EXPECT_EQ(parse_decimal("1.0", 0, kMax), std::nullopt);
  EXPECT_EQ(parse_decimal("10.01", 2, 1000), std::nullopt);
  EXPECT_EQ(parse_decimal("-10.01", 2, 1000), std::nullopt);
}

TEST(StatementValues, FormattedDecimalsAreParsedBack) {
  EXPECT_TRUE(rc::check([] {
    const auto value = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000);
    RC_ASSERT(parse_decimal(fmt::format("{}.{:02}", value / 100, value % 100), 2, kMax) == value);
    RC_ASSERT(parse_decimal(fmt::format("-{}.{:05}", value / 100'000, value % 100'000), 5, kMax) == -value);
  }));
}

TEST(StatementValues, CountsMayHaveZerosAfterTheDecimalPoint) {
  EXPECT_EQ(parse_count("20"), 20);
  EXPECT_EQ(parse_count("20.0"), 20);
  EXPECT_EQ(parse_count("0.00"), 0);
  for (const char* text : {"", ".0", "20.", "20.5", "-1", "+1", "1e3", "99999999999"})
    EXPECT_EQ(parse_count(text), std::nullopt) << text;
}

TEST(StatementValues, TimesAreParsedInTheirZone) {
  EXPECT_EQ(parse_local_time("2026-01-01 07:59:59", std::chrono::hours(8)), parse_rfc3339("2025-12-31T23:59:59Z"));
  EXPECT_EQ(parse_local_time("2026-01-01 07:59:59", {}), parse_rfc3339("2026-01-01T07:59:59Z"));
  for (const char* text : {"", "2026-01-01", "2026-02-30 00:00:00", "2026-01-01 24:00:00", "2026-01-01 00:00:00Z",
                           "2026/01/01 00:00:00", "2026-1-01 00:00:000"})
    EXPECT_FALSE(parse_local_time(text, {})) << text;
}

TEST(StatementValues, ADayHas24HoursInItsZone) {
  const auto day = parse_day("2026-02-28", std::chrono::hours(8));
  ASSERT_TRUE(day);
  EXPECT_EQ(to_rfc3339(day->begin), "2026-02-27T16:00:00.000Z");
  EXPECT_EQ(to_rfc3339(day->end), "2026-02-28T16:00:00.000Z");
  EXPECT_FALSE(parse_day("2026-02-29", {}));
}

TEST(StatementValues, TextsAreCutAtACharacterAndPrintable) {
  EXPECT_EQ(printable_text("tea", 3), "tea");
  EXPECT_EQ(printable_text("tea", 2), "te");
  EXPECT_EQ(printable_text("茶茶", 5), "茶");
  EXPECT_EQ(printable_text("a\nb\x01", 10), "a b\\u0001");
  EXPECT_TRUE(rc::check([](const std::string& text) { RC_ASSERT(is_utf8(printable_text(text, 7))); }));
}

}  // namespace
}  // namespace finality
