// Reader of the Idempotency-Key header of POST requests.
#pragma once

#include <expected>
#include <optional>

#include "base/net/http_message.h"
#include "engine/request.h"
#include "http/server/principal.h"
#include "model/refusal.h"

namespace finality::http {

/// Returns the hashes of the key and of the body; empty without the header. A key and the same key as a quoted string
/// (RFC 8941) are equal. The scope of a key is merchant, method and path. Without a merchant, it is the API key, method
/// and path, so that no operator receives the reply of another operator. Refuses with `invalid_request` (malformed or
/// repeated header; `param` is Idempotency-Key).
std::expected<std::optional<Idempotency>, Refusal> idempotency_of(const net::HttpRequest& request,
                                                                  const Principal& principal);

}  // namespace finality::http
