#include "base/money.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cctype>
#include <limits>

namespace finality {
namespace {

constexpr MinorUnits kMost = std::numeric_limits<MinorUnits>::max();
constexpr MinorUnits kLeast = std::numeric_limits<MinorUnits>::min();

TEST(Currency, HasTheExponentOfIso4217) {
  struct Row {
    const char* code;
    int exponent;
  };
  for (const Row& row : {Row{"CNY", 2}, Row{"USD", 2}, Row{"EUR", 2}, Row{"HKD", 2}, Row{"JPY", 0}, Row{"KRW", 0},
                         Row{"VND", 0}, Row{"CLP", 0}, Row{"ISK", 0}, Row{"KWD", 3}, Row{"BHD", 3}, Row{"TND", 3}}) {
    const auto currency = parse_currency(row.code);
    ASSERT_TRUE(currency.has_value()) << row.code;
    EXPECT_EQ(exponent_of(*currency), row.exponent) << row.code;
    EXPECT_EQ(currency->text(), row.code);
  }
}

TEST(Currency, RejectsCodesThatAreNotListed) {
  for (const char* code : {"", "C", "CN", "cny", "Cny", "CNYX", "XXX", "XTS", "XAU", "RMB", "ZZZ", "AAA", "   ", "CN¥"})
    EXPECT_FALSE(parse_currency(code).has_value()) << code;
  EXPECT_FALSE(parse_currency(std::string_view("CN\0", 3)).has_value());
}

TEST(Currency, ACodeIsThreeUpperCaseLetters) {
  EXPECT_TRUE(rc::check([](const std::string& code) {
    const auto currency = parse_currency(code);
    if (!currency) return;
    RC_ASSERT(code.size() == 3u);
    for (const char c : code) RC_ASSERT(std::isupper(static_cast<unsigned char>(c)) != 0);
  }));
}

TEST(FormatMoney, PlacesTheDecimalPointByTheCurrencysExponent) {
  struct Row {
    MinorUnits amount;
    const char* code;
    const char* text;
  };
  for (const Row& row : {Row{1234, "CNY", "12.34 CNY"}, Row{5, "CNY", "0.05 CNY"}, Row{0, "CNY", "0.00 CNY"},
                         Row{100, "CNY", "1.00 CNY"}, Row{-1, "CNY", "-0.01 CNY"}, Row{-1234, "USD", "-12.34 USD"},
                         Row{500, "JPY", "500 JPY"}, Row{-500, "JPY", "-500 JPY"}, Row{0, "JPY", "0 JPY"},
                         Row{1, "KWD", "0.001 KWD"}, Row{12345, "KWD", "12.345 KWD"},
                         Row{kMost, "CNY", "92233720368547758.07 CNY"}, Row{kLeast, "JPY", "-9223372036854775808 JPY"}})
    EXPECT_EQ(format_money(row.amount, *parse_currency(row.code)), row.text);
}

TEST(DisplayMoney, GroupsThousandsAndPrefersSymbols) {
  struct Row {
    MinorUnits amount;
    const char* code;
    const char* text;
  };
  for (const Row& row : {Row{12850, "CNY", "¥128.50"}, Row{0, "CNY", "¥0.00"}, Row{99999, "CNY", "¥999.99"},
                         Row{100000, "CNY", "¥1,000.00"}, Row{123456789, "HKD", "HK$1,234,567.89"},
                         Row{-1234567, "USD", "-US$12,345.67"}, Row{1234567, "JPY", "JP¥1,234,567"},
                         Row{999, "KRW", "₩999"}, Row{1234567, "KWD", "1,234.567 KWD"}, Row{5, "KWD", "0.005 KWD"}})
    EXPECT_EQ(display_money(row.amount, *parse_currency(row.code)), row.text);
}

TEST(CheckedAdd, IsEmptyOnOverflow) {
  EXPECT_EQ(checked_add(1, 2), 3);
  EXPECT_EQ(checked_add(kMost, -1), kMost - 1);
  EXPECT_EQ(checked_add(kMost, kLeast), -1);
  EXPECT_EQ(checked_add(kMost, 1), std::nullopt);
  EXPECT_EQ(checked_add(kLeast, -1), std::nullopt);
}

}  // namespace
}  // namespace finality
