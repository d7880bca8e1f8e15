// Reader of the Idempotency-Key header of POST requests.
#pragma once

#include <expected>
#include <optional>

#include "base/net/http_message.h"
#include "engine/request.h"
#include "http/server/principal.h"
#include "model/refusal.h"

namespace finality::http {

/// Returns the hash of the key and the fingerprint of the request; empty without the header. A key and the same key as
/// a quoted string (RFC 8941) are equal. The scope of a key is merchant, method and path. Without a merchant, it is the
/// API key, method and path, so that no operator receives the reply of another operator. Refuses with `invalid_request`
/// (malformed or repeated header; `param` is Idempotency-Key). REQUIRES: the request has its whole body.
///
/// This is the only function that computes fingerprints of requests (docs/adr/0012-idempotency-records.md):
///   query    decoded parameters, in any order; a malformed query byte for byte
///   body     byte for byte, after the transfer coding (chunked) was removed
///   path     byte for byte; no route accepts a trailing slash
///   headers  not included: no route reads a header other than the key, the credentials and the merchant
std::expected<std::optional<Idempotency>, Refusal> idempotency_of(const net::HttpRequest& request,
                                                                  const Principal& principal);

}  // namespace finality::http
