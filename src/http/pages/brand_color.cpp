#include "http/pages/brand_color.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace finality::http {
namespace {

constexpr std::string_view kWhite = "#ffffff";
constexpr std::string_view kBlack = "#000000";
constexpr int kSteps = 64;  // shades between a color and black or white

using Rgb = std::array<double, 3>;  // red, green and blue from 0 to 1

Rgb rgb_of(std::string_view color) {
  constexpr double kMax = 255;
  Rgb rgb{};
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const char* const digits = color.data() + 1 + 2 * i;
    int value = 0;
    std::from_chars(digits, digits + 2, value, 16);
    rgb[i] = value / kMax;
  }
  return rgb;
}

// Returns the relative luminance of the color as WCAG defines it.
double luminance_of(const Rgb& rgb) {
  constexpr Rgb kWeights{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < rgb.size(); ++i)
    sum += kWeights[i] * (rgb[i] <= 0.04045 ? rgb[i] / 12.92 : std::pow((rgb[i] + 0.055) / 1.055, 2.4));
  return sum;
}

// Returns `color` mixed with `share` of `other`, from 0 to 1.
std::string mixed(std::string_view color, std::string_view other, double share) {
  const Rgb from = rgb_of(color);
  const Rgb to = rgb_of(other);
  std::array<int, 3> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<int>(std::lround(255 * (from[i] + (to[i] - from[i]) * share)));
  return fmt::format("#{:02x}{:02x}{:02x}", out[0], out[1], out[2]);
}

}  // namespace

double contrast_of(std::string_view one, std::string_view other) {
  const auto [dark, light] = std::minmax({luminance_of(rgb_of(one)), luminance_of(rgb_of(other))});
  return (light + 0.05) / (dark + 0.05);
}

Accent accent_on(std::string_view background, std::string_view color) {
  const bool is_light = contrast_of(background, kWhite) < contrast_of(background, kBlack);
  Accent accent{std::string(color), std::string()};
  for (int step = 1; step <= kSteps && contrast_of(accent.color, background) < kContrastMin; ++step)
    accent.color = mixed(color, is_light ? kBlack : kWhite, static_cast<double>(step) / kSteps);
  accent.text = contrast_of(accent.color, kWhite) >= kContrastMin ? kWhite : kBlack;
  return accent;
}

}  // namespace finality::http
