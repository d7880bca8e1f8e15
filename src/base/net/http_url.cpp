#include "base/net/http_url.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <ostream>  // Boost.URL 1.81 uses it without including it
#include <string_view>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

namespace finality::net {
namespace {

namespace urls = boost::urls;

constexpr std::size_t kUrlBytesMax = 8 << 10;

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// Resolvers accept IPv4 addresses in unusual notations (127.1, 0x7f000001), which would bypass the check of addresses.
// All of them end in a number; valid host names never do.
bool ends_in_a_number(std::string_view name) {
  while (name.ends_with('.')) name.remove_suffix(1);
  const std::string_view last = name.substr(name.rfind('.') + 1);
  if (last.starts_with("0x") || last.starts_with("0X")) return true;
  return !last.empty() && std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::string> host_of(const urls::url_view& url) {
  switch (url.host_type()) {
    case urls::host_type::ipv4:
    case urls::host_type::ipv6:
      return std::string(url.host_address());
    case urls::host_type::name: {
      std::string name(url.host_name());
      if (name.empty()) return fail("the URL has no host");
      if (!std::ranges::all_of(name, is_host_character)) return fail("the host contains an invalid character");
      if (name.starts_with('.') || name.contains("..")) return fail("the host name has an empty label");
      if (ends_in_a_number(name)) return fail("the host is neither a valid name nor a complete IP address");
      return name;
    }
    default:
      return fail("the URL has no host");
  }
}

// Parses the port itself, because port_number() of Boost.URL overflows: it returns 21500 for 87036.
Result<std::uint16_t> port_of(const urls::url_view& url, std::uint16_t standard) {
  const std::string text(url.has_port() ? std::string_view(url.port()) : std::string_view());
  if (text.empty()) return standard;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0)
    return fail("the port is not between 1 and 65535");
  return port;
}

}  // namespace

Result<HttpUrl> parse_http_url(const std::string& text) {
  if (text.size() > kUrlBytesMax) return fail("the URL is longer than " + std::to_string(kUrlBytesMax) + " bytes");
  const auto parsed = urls::parse_uri(text);
  if (!parsed) return fail("not a URL");
  const urls::url_view& url = *parsed;
  // Boost.URL 1.81 treats an invalid port or address as a path: http://host:x, http://1.2.3.4x.
  if (!url.encoded_path().empty() && !url.encoded_path().starts_with('/')) return fail("not a URL");
  if (url.scheme_id() != urls::scheme::http && url.scheme_id() != urls::scheme::https) {
    return fail("the scheme is neither http nor https");
  }
  if (!url.has_authority()) return fail("the URL has no host");
  if (url.has_userinfo()) return fail("the URL contains user information");

  HttpUrl found;
  found.tls = url.scheme_id() == urls::scheme::https;
  const std::uint16_t standard_port = found.tls ? 443 : 80;
  Result<std::string> host = host_of(url);
  if (!host) return std::unexpected(host.error());
  const Result<std::uint16_t> port = port_of(url, standard_port);
  if (!port) return std::unexpected(port.error());

  found.host = std::move(*host);
  found.port = *port;
  const bool bracketed = url.host_type() == urls::host_type::ipv6;
  found.authority = bracketed ? "[" + found.host + "]" : found.host;
  if (found.port != standard_port) found.authority += ":" + std::to_string(found.port);
  found.target = std::string(url.encoded_path());
  if (found.target.empty()) found.target = "/";
  if (url.has_query()) found.target += "?" + std::string(url.encoded_query());
  return found;
}

std::string normalized(const HttpUrl& url) {
  std::string authority = url.authority;
  std::ranges::transform(authority, authority.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return (url.tls ? "https://" : "http://") + authority + url.target;
}

}  // namespace finality::net
