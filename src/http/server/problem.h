// Converts results and refusals to HTTP responses. No other file maps refusals to status, headers and problem+json
// (RFC 9457).
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "http/server/principal.h"
#include "model/refusal.h"

namespace finality::http {

/// Returns a JSON response. Appends a line feed to the body, so that a terminal starts a new line after it.
net::HttpResponse json_response(int status, std::string body);
/// Returns a problem+json response. `body` is the problem as JSON. If `retry_after_seconds` is 0, the response has no
/// Retry-After header.
net::HttpResponse problem_response(int status, std::string body, int retry_after_seconds);
/// Returns the problem+json response to a refused request.
net::HttpResponse problem_response(const Refusal& refusal, std::string_view request_id);
/// Returns the response to a request that was rejected before routing (status 400, 408, 413, 431 or 503) or that no
/// handler answered (status 500). `reason`: a sentence for the detail, or empty. `body_bytes_max`: limit of the body of
/// the request, which the problem of status 413 states.
net::HttpResponse server_problem(int status, std::string_view reason, std::string_view request_id,
                                 std::size_t body_bytes_max);

/// Refuses a route that the key may not use. Names the role that the route needs, and that of the key.
Refusal forbidden(const Principal& principal);
Refusal busy();
/// Refuses a read because limits::kReadsPerClientMax reads of its client are queued.
Refusal too_many_reads();
/// Refuses the value of a query parameter or field of the body. `sentence`: the rule without its subject, such as
/// "must be a calendar day.".
std::unexpected<Refusal> invalid_parameter(std::string_view name, std::string_view sentence);

}  // namespace finality::http
