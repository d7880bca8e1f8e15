#include "http/pages/brand_color.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "http/pages/checkout_assets.h"

namespace finality::http {
namespace {

TEST(BrandColor, ContrastIsThatOfWcag) {
  EXPECT_NEAR(contrast_of("#000000", "#ffffff"), 21, 0.01);
  EXPECT_NEAR(contrast_of("#777777", "#ffffff"), 4.48, 0.01);
  EXPECT_NEAR(contrast_of("#ffffff", "#ffffff"), 1, 0.01);
}

TEST(BrandColor, AReadableColorDoesNotChange) {
  EXPECT_EQ(accent_on("#ffffff", "#1a56db").color, "#1a56db");
  EXPECT_EQ(accent_on("#ffffff", "#1a56db").text, "#ffffff");
  EXPECT_EQ(accent_on("#171c24", "#7aa7ff").color, "#7aa7ff");
}

TEST(BrandColor, EveryColorIsReadableInBothModes) {
  for (int red = 0; red < 256; red += 51)
    for (int green = 0; green < 256; green += 51)
      for (int blue = 0; blue < 256; blue += 51) {
        const std::string color = fmt::format("#{:02x}{:02x}{:02x}", red, green, blue);
        for (const std::string_view card : {kLightCard, kDarkCard}) {
          const Accent accent = accent_on(card, color);
          EXPECT_GE(contrast_of(accent.color, card), kContrastMin) << color << " on " << card;
          EXPECT_GE(contrast_of(accent.text, accent.color), kContrastMin) << color << " on " << card;
        }
      }
}

TEST(BrandColor, TheCardsAreThoseOfTheStyleSheet) {
  EXPECT_TRUE(kStyle.contains("--card: #fff;"));
  EXPECT_TRUE(kStyle.contains(fmt::format("--card: {};", kDarkCard)));
}

}  // namespace
}  // namespace finality::http
