// HTTP client for commands that use a running server: one request with an operator key.
#pragma once

#include <string>

#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace finality::app {

/// The server of a command.
struct AdminServer {
  std::string url;                   // trailing slashes are ignored
  bool insecure_http = false;        // sends the key in plain text to another machine
  bool json_errors = false;          // errors contain the body of the response as received, not problem_text()
  std::string role = "an operator";  // of the key, for error messages
  std::string merchant{};            // id, sent as Finality-Merchant; empty: none
};

/// Adds the options --server and --insecure-http, which set `server`. `role` is that of the key, such as "an operator".
/// `server` must outlive the parsing. Returns --server.
CLI::Option* add_server_options(CLI::App& command, AdminServer& server, const std::string& role);

/// Checks that a key may be sent to the URL: https, or http to this machine (net::is_loopback_host()), because everyone
/// on the path of plain http reads the key. `insecure_http` allows http to every host. The error names the option
/// --insecure-http.
Result<void> check_key_target(const std::string& url, bool insecure_http);

/// Sends `body` (JSON) in a POST request to `path` of the server, with the key in FINALITY_KEY. Returns the response
/// body. Fails if the key may not be sent to the URL (check_key_target()), FINALITY_KEY is not set, no response
/// arrives, or the status is 300 or above: a redirect is not followed, so that another server cannot receive the key.
Result<std::string> post_as_admin(const AdminServer& server, const std::string& path, const std::string& body);
/// The same with the bytes of a file as the body.
Result<std::string> upload_as_admin(const AdminServer& server, const std::string& path, std::string file);
/// The same with a GET request.
Result<std::string> get_as_admin(const AdminServer& server, const std::string& path);

}  // namespace finality::app
