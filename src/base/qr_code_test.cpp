#include "base/qr_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <utility>

namespace finality {
namespace {

using Modules = std::set<std::pair<int, int>>;  // dark modules as (column, row)

int width_of(const std::string& svg) {
  std::smatch found;
  return std::regex_search(svg, found, std::regex(R"(viewBox="0 0 (\d+) \1")")) ? std::stoi(found[1]) : 0;
}

Modules dark_modules_of(const std::string& svg) {
  Modules dark;
  const std::regex run(R"(M(\d+) (\d+)h(\d+)v1h-\3z)");
  for (std::sregex_iterator at(svg.begin(), svg.end(), run), end; at != end; ++at)
    for (int x = 0; x < std::stoi((*at)[3]); ++x) dark.emplace(std::stoi((*at)[1]) + x, std::stoi((*at)[2]));
  return dark;
}

// Checks one finder pattern, the 7×7 square in three corners of a QR code: dark border, light ring, dark center.
void expect_finder(const Modules& dark, int left, int top) {
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 7; ++x) {
      const int ring = std::max(std::abs(x - 3), std::abs(y - 3));
      EXPECT_EQ(dark.contains({left + x, top + y}), ring != 2) << x << ", " << y;
    }
  }
}

TEST(QrCode, HasItsFindersInThreeCornersAndAWhiteBorder) {
  const std::string svg = *qr_code_svg("weixin://wxpay/bizpayurl?pr=abc");
  const int width = width_of(svg);
  EXPECT_EQ(width, 29 + 8) << "31 bytes are version 3 at level M";
  const Modules dark = dark_modules_of(svg);
  expect_finder(dark, 4, 4);
  expect_finder(dark, width - 11, 4);
  expect_finder(dark, 4, width - 11);
  for (const auto& [x, y] : dark) EXPECT_TRUE(x >= 4 && y >= 4 && x < width - 4 && y < width - 4) << x << ", " << y;
}

TEST(QrCode, DiffersWithEveryByte) {
  EXPECT_EQ(*qr_code_svg("a"), *qr_code_svg("a"));
  EXPECT_NE(*qr_code_svg("a"), *qr_code_svg("b"));
  EXPECT_NE(*qr_code_svg("12"), *qr_code_svg(std::string_view("12\0", 3)));
  EXPECT_TRUE(qr_code_svg("茶"));
}

TEST(QrCode, TextOfMaximumSizeIsAcceptedAndALongerOneIsRejected) {
  const Result<std::string> largest = qr_code_svg(std::string(kQrCodeBytesMax, 'x'));
  ASSERT_TRUE(largest);
  EXPECT_EQ(width_of(*largest), 177 + 8);
  const Result<std::string> longer = qr_code_svg(std::string(kQrCodeBytesMax + 1, 'x'));
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().message, "2332 bytes do not fit into a QR code: the maximum is 2331");
  EXPECT_FALSE(qr_code_svg(""));
}

}  // namespace
}  // namespace finality
