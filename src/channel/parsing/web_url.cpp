#include "channel/parsing/web_url.h"

#include <algorithm>

#include "base/limits.h"

namespace finality {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Whether `c` may occur in the path or the query of a URL (RFC 3986 §2), including '%'.
bool is_target_character(char c) { return is_alphanumeric(c) || std::string_view("-._~:/?@!$&'()*+,;=%").contains(c); }

bool is_authority_character(char c) { return is_alphanumeric(c) || std::string_view("-._:[]").contains(c); }

}  // namespace

std::optional<WebUrl> parse_web_url(std::string_view text) {
  if (text.size() > limits::kUrlMax) return std::nullopt;
  WebUrl url{.tls = text.starts_with("https://")};
  if (!url.tls && !text.starts_with("http://")) return std::nullopt;
  text.remove_prefix(text.find("//") + 2);
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  url.authority = text.substr(0, end);
  url.target = text.substr(end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  const bool valid = !url.authority.empty() && std::ranges::all_of(url.authority, is_authority_character) &&
                     std::ranges::all_of(url.target, is_target_character);
  if (!valid) return std::nullopt;
  return url;
}

}  // namespace finality
