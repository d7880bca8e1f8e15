// Signatures between the adapter and the simple channel of `finality sandbox`: HMAC-SHA256 with a shared secret, in
// lower-case hexadecimal. The signed text is:
//
//   request of the adapter                    METHOD \n TARGET \n TIMESTAMP \n BODY
//   response or notification of the sandbox   TIMESTAMP \n BODY
//
// TARGET is path and query as in the request line. TIMESTAMP is in decimal seconds since 1970-01-01 UTC. Pure.
#pragma once

#include "base/net/http_message.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::sandbox_channel {

/// Adds the headers with timestamp and signature to a request that is sent at `now`. Method, target and body must be
/// final.
void sign_request(const Secret& secret, Time now, net::HttpRequest& request);

/// Checks that the sandbox signed exactly these bytes, at most 300 s before or after `now`. The error states why not.
Result<void> check_signature(const Secret& secret, const net::Headers& headers, std::string_view body, Time now);

}  // namespace finality::sandbox_channel
