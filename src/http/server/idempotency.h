// Reads the Idempotency-Key of a POST.
#pragma once

#include <expected>
#include <optional>

#include "base/net/http_message.h"
#include "engine/request.h"
#include "http/server/principal.h"
#include "model/refusal.h"

namespace finality::http {

/// Empty without the header. The key can be unquoted or a quoted string (RFC 8941); both forms are the same key. The
/// scope is merchant, method and path. Without a merchant, the scope includes the operator's API key, so that no
/// operator receives the answer of another. Refuses: invalid_request (param Idempotency-Key).
std::expected<std::optional<Idempotency>, Refusal> idempotency_of(const net::HttpRequest& request,
                                                                  const Principal& principal);

}  // namespace finality::http
