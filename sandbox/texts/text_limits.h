// The texts that the simulated channels accept, as their documents and refusals state them. This is a statement of its
// own, not a copy of the table by which Finality's adapters cut their texts (src/channel/text_limits.h): a limit that
// is wrong there is found here. Every text that a gateway reads has a row. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace finality::sandbox {

/// What a channel counts. `letters`: 1 for an ASCII character, 2 for a Chinese character (2 or 3 bytes in UTF-8), 4 for
/// a character of 4 bytes.
enum class CountedUnit : std::uint8_t { bytes, characters, letters };

struct TextLimit {
  std::string_view field;  // JSON pointer at WeChat Pay, otherwise the name
  std::string_view title;  // the field's name in WeChat Pay's refusals; empty at other channels
  std::size_t min = 0;
  std::size_t max = 0;
  CountedUnit unit = CountedUnit::bytes;
  /// Characters as in a bracket of a regular expression: `0-9a-z_`, or `^/=&` for all except these. Empty: all.
  std::string_view set{};
};

/// The rows of a channel's protocol.
std::span<const TextLimit> wechatpay_texts();
std::span<const TextLimit> alipay_texts();
std::span<const TextLimit> simple_texts();

/// Returns the row of a field. REQUIRES: there is one.
const TextLimit& text_limit(std::span<const TextLimit> rows, std::string_view field);

/// Returns the size of the text in the unit. REQUIRES: the text is well-formed UTF-8.
std::size_t count_in(CountedUnit unit, std::string_view text);
/// Returns whether the text is well-formed UTF-8 of an accepted size.
bool has_good_size(const TextLimit& limit, std::string_view text);
/// Returns whether the text has only characters of the set.
bool has_good_characters(const TextLimit& limit, std::string_view text);
bool is_accepted(const TextLimit& limit, std::string_view text);

}  // namespace finality::sandbox
