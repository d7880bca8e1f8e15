// Formats the status line and header fields of a response.
#pragma once

#include <string>

#include "base/net/http_message.h"

namespace finality::net {

/// The value of the Connection field to write, if any.
struct Framing {
  bool close = false;       // write "Connection: close"
  bool keep_alive = false;  // write "Connection: keep-alive", required by HTTP/1.0
};

/// True if a response with this status has a body (RFC 9110 §6.4.1).
bool status_allows_body(int status);

/// Appends the status line, the fields and the empty line. Content-Length and Connection come from the body's size and
/// `framing`; the response's own fields of these names are omitted. Line breaks within a field become spaces.
/// REQUIRES: a final status, 200 to 599.
void append_response_head(std::string& text, const HttpResponse& response, Framing framing);

}  // namespace finality::net
