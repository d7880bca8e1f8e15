// Parser for http and https URLs, with the parts that an adapter signs and compares. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality {

struct WebUrl {
  bool tls = false;
  std::string authority;  // host and port
  std::string target;     // path and query as on the wire; an empty path becomes "/"

  bool has_query() const { return target.contains('?'); }
};

/// Parses a URL. Empty when `text` is not an http or https URL, has user information or a fragment, has a character
/// that must be percent-encoded, or is too long.
std::optional<WebUrl> parse_web_url(std::string_view text);

}  // namespace finality
