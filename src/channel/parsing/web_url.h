// Parser for http and https URLs. An adapter signs and compares the parts of a URL. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality {

struct WebUrl {
  bool tls = false;
  std::string authority;  // host and port
  std::string target;     // path and query, as in the request line; an empty path becomes "/"

  bool has_query() const { return target.contains('?'); }
};

/// Parses a URL. Empty if `text` is not an http or https URL, has user information or a fragment, has a character that
/// must be percent-encoded, or is longer than limits::kUrlMax bytes.
std::optional<WebUrl> parse_web_url(std::string_view text);

}  // namespace finality
