// Makes the color of a merchant readable on the checkout page. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality::http {

/// A color for buttons and links, and the color of text on a button.
struct Accent {
  std::string color;  // "#rrggbb", as `text`
  std::string text;
};

/// The contrast of text that the page guarantees (WCAG 2.2, level AA).
inline constexpr double kContrastMin = 4.5;

/// Returns the color with the least change that has the contrast kContrastMin to `background`, and black or white text
/// with that contrast on it. Both arguments are colors as "#rrggbb".
Accent accent_on(std::string_view background, std::string_view color);

/// Returns the contrast of two colors (WCAG 2.2): from 1 to 21.
double contrast_of(std::string_view one, std::string_view other);

}  // namespace finality::http
