// The text of a response up to its body.
#pragma once

#include <string>

#include "base/net/http_message.h"

namespace finality::net {

struct Framing {
  bool close = false;       // say "Connection: close"
  bool keep_alive = false;  // say "Connection: keep-alive", which HTTP/1.0 has to be told
};

/// Whether a response of this status has a body at all (RFC 9110 §6.4.1).
bool status_allows_body(int status);

/// Appends status line and fields with the empty line. Content-Length and Connection come from the body's size and
/// `framing`; the response's own fields of these names are left out. Line breaks within a field become spaces.
/// REQUIRES: a final status, 200 to 599.
void append_response_head(std::string& text, const HttpResponse& response, Framing framing);

}  // namespace finality::net
