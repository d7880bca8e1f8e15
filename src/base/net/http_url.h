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

/// Whether both URLs send the same request to the same server: scheme, host, port, path and query are equal. The case of
/// scheme and host has no meaning, and the standard port and the path "/" can be left out. False for an invalid URL.
bool is_same_target(const std::string& one, const std::string& other);

}  // namespace finality::net
