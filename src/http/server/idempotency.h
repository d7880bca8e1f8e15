// The Idempotency-Key of a POST, as the engine takes it.
#pragma once

#include <expected>
#include <optional>

#include "base/net/http_message.h"
#include "engine/request.h"
#include "http/server/principal.h"
#include "model/refusal.h"

namespace finality::http {

/// Empty without the header. The key may be bare or a quoted string (RFC 8941): both name the same key. Scoped to
/// merchant, method and path; where there is no merchant, to the operator's key, so that nobody is shown what another
/// was. Refuses: invalid_request (param Idempotency-Key).
std::expected<std::optional<Idempotency>, Refusal> idempotency_of(const net::HttpRequest& request,
                                                                  const Principal& principal);

}  // namespace finality::http
