// Text of unknown origin made safe for a terminal or a log.
#pragma once

#include <string>
#include <string_view>

namespace finality {

/// `text` with every character that a terminal could execute or hide written as an escape: C0 and C1 controls except
/// the line feed, DEL, bidirectional and zero-width format characters, line and paragraph separators as `\uXXXX`; bytes
/// that are not UTF-8 as `\xXX`. All other characters, backslashes included, stay as they are.
std::string printable(std::string_view text);

}  // namespace finality
