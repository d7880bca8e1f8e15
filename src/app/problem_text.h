// Text of the server's error responses for the terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality::app {

/// Returns the problem (RFC 9457) in `body` as one line: title, detail, and in parentheses the field and the request.
/// The server is untrusted: control characters are escaped. For another body, returns its begin.
std::string problem_text(std::string_view body);

}  // namespace finality::app
