// The parts of an http or https URL that an adapter signs and compares. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace finality {

struct WebUrl {
  bool tls = false;
  std::string authority;  // host and port
  std::string target;     // path and query as on the wire; "/" where there is none

  bool has_query() const { return target.contains('?'); }
};

/// Empty when it is none of both, has user information or a fragment, or a character that no URL has as it stands.
std::optional<WebUrl> parse_web_url(std::string_view text);

}  // namespace finality
