// Escapes text of unknown origin, so that a terminal or log can show it safely.
#pragma once

#include <string>
#include <string_view>

namespace finality {

/// Escapes the characters that a terminal could execute or not display. C0 and C1 controls except the line feed, DEL,
/// bidirectional and zero-width characters, and line and paragraph separators become `\uXXXX`; bytes that are not UTF-8
/// become `\xXX`. All other characters, including backslashes, stay unchanged.
std::string printable(std::string_view text);

}  // namespace finality
