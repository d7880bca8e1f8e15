// HTTP client for commands that write through a running server: one POST with an admin key.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::app {

/// POSTs `body` to SERVER/path with the key in FINALITY_KEY. Returns the body of the response. Fails without a response
/// and with a status of 300 or above.
Result<std::string> post_as_admin(const std::string& server, const std::string& path, const std::string& body);

}  // namespace finality::app
