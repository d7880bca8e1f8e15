// Character sets of Alipay's requests, responses, bills and error pages. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality::sandbox {

/// A character set that Alipay's parameter `charset` can name.
struct Charset {
  std::string_view name;       // as in Content-Type
  std::string_view converter;  // the C library's converter; empty for UTF-8
};

inline constexpr Charset kUtf8{"utf-8", ""};
inline constexpr Charset kGbk{"GBK", "GBK"};  // also the character set of bills and error pages

/// Returns UTF-8, GBK, GB2312 or GB18030; null for other names. Ignores case. Texts in GB2312 are converted as GBK,
/// which contains it.
const Charset* find_charset(std::string_view name);

/// Converts UTF-8 to the character set. Characters that it lacks, and invalid bytes, become question marks.
std::string encode(const Charset& charset, std::string_view utf8);
/// Converts a text in the character set to UTF-8. Empty if the text is invalid. UTF-8 is returned unchecked.
std::optional<std::string> decode(const Charset& charset, std::string_view text);

}  // namespace finality::sandbox
