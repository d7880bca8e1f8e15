// HTTP client for commands that write through a running server: one POST with an admin key.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::app {

/// Sends `body` (JSON) in a POST request to the URL `server` + `path`, with the key in FINALITY_KEY. Returns the
/// response body. Fails if FINALITY_KEY is not set, no response arrives, or the status is 300 or above.
Result<std::string> post_as_admin(const std::string& server, const std::string& path, const std::string& body);

}  // namespace finality::app
