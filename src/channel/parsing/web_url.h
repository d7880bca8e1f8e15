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

/// Parses an http or https URL. Empty if `text` is a different URL, is longer than limits::kUrlMax bytes, has user
/// information or a fragment, or has a character that must be percent-encoded.
std::optional<WebUrl> parse_web_url(std::string_view text);

}  // namespace finality
