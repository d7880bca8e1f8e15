// An http or https URL, taken apart for a client.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace finality::net {

struct HttpUrl {
  bool tls = false;
  std::string host;  // a name or an address, without brackets
  std::uint16_t port = 80;
  std::string target;     // path and query
  std::string authority;  // what the Host field says
};

/// Refuses other schemes, user information, and hosts that are neither an address nor a name of letters, digits, '-',
/// '_' and '.' that does not end in a number. The fragment is dropped. The error does not repeat the URL: its query may
/// hold a secret.
Result<HttpUrl> parse_http_url(const std::string& text);

}  // namespace finality::net
