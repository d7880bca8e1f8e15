// HTTP client for commands that use a running server: one request with an operator key.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::app {

/// Help text of the option --server of these commands.
inline constexpr const char* kServerHelp = "URL of a running server; requires an operator key in FINALITY_KEY";

/// The server of a command.
struct AdminServer {
  std::string url;
  bool json_errors = false;  // errors contain the body of the response as received, not problem_text()
};

/// Sends `body` (JSON) in a POST request to `path` of the server, with the key in FINALITY_KEY. Returns the response
/// body. Fails if FINALITY_KEY is not set, no response arrives, or the status is 300 or above.
Result<std::string> post_as_admin(const AdminServer& server, const std::string& path, const std::string& body);
/// The same with the bytes of a file as the body.
Result<std::string> upload_as_admin(const AdminServer& server, const std::string& path, std::string file);
/// The same with a GET request.
Result<std::string> get_as_admin(const AdminServer& server, const std::string& path);

}  // namespace finality::app
