// Commands that write beside a running server go through that server: one POST with an administrator's key.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::app {

/// POSTs `body` to SERVER/path with the key in FINALITY_KEY; the answer's body, or why not.
Result<std::string> post_as_admin(const std::string& server, const std::string& path, const std::string& body);

}  // namespace finality::app
