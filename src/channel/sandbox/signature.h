// Signatures between the adapter and the sandbox's simple channel: HMAC-SHA256 with a shared secret, as lower-case hex.
//
//   our request                    METHOD \n TARGET \n TIMESTAMP \n BODY     TARGET: path and query as on the wire
//   its response or notification   TIMESTAMP \n BODY
//
// TIMESTAMP is in seconds since 1970, in decimal. Pure.
#pragma once

#include "base/net/http_message.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::sandbox_channel {

/// Adds the timestamp and signature headers to a request that is sent at `now`.
void sign_request(const Secret& secret, Time now, net::HttpRequest& request);

/// Checks that the channel signed exactly these bytes within 300 s of `now`. The error states the reason.
Result<void> check_signature(const Secret& secret, const net::Headers& headers, std::string_view body, Time now);

}  // namespace finality::sandbox_channel
