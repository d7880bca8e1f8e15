// Formats the status line and header fields of a response.
#pragma once

#include <ctime>
#include <string>

#include "base/net/http_message.h"

namespace finality::net {

/// The value of the Connection field to write, if any.
struct Framing {
  bool close = false;       // write "Connection: close"
  bool keep_alive = false;  // write "Connection: keep-alive", required by HTTP/1.0
};

/// True if a response with this final status can have a body (RFC 9110 §6.4.1).
bool status_allows_body(int status);

/// Formats a time as in the Date field (RFC 9110 §5.6.7), such as "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::time_t time);

/// Appends the status line, the fields and the empty line. Derives Content-Length from the body, Connection from
/// `framing`, and Date from the system's clock. Omits fields of the response with these names, and Transfer-Encoding.
/// Line breaks within a field become spaces. REQUIRES: the status is final (200 to 599).
void append_response_head(std::string& text, const HttpResponse& response, Framing framing);

}  // namespace finality::net
