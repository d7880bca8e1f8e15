// Parsed http or https URL for an HTTP client.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace finality::net {

/// The parts of the URL that a client needs.
struct HttpUrl {
  bool tls = false;
  std::string host;  // a name or an IP address, without brackets
  std::uint16_t port = 80;
  std::string target;     // path and query
  std::string authority;  // value of the Host field
};

/// Parses an http or https URL. Rejects other schemes, user information and invalid hosts. A valid host is an IP
/// address, or a name of letters, digits, '-', '_' and '.' that does not end in a number. Drops the fragment. The error
/// does not contain the URL, because its query may contain a secret.
Result<HttpUrl> parse_http_url(const std::string& text);

/// Returns the URL with scheme and host in lower case, without the standard port, and with a path (RFC 3986, 6.2), so
/// that spellings without a difference are equal.
std::string normalized(const HttpUrl& url);

}  // namespace finality::net
