#include "app/admin_client.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <future>
#include <utility>

#include "app/problem_text.h"
#include "base/net/http_client.h"
#include "base/net/http_url.h"

namespace finality::app {
namespace {

constexpr Duration kUploadTimeout = std::chrono::minutes(2);
constexpr std::size_t kResponseBytesMax = 16 << 20;
constexpr std::string_view kMerchantHeader = "Finality-Merchant";

// Sends the call to `server` with the key in FINALITY_KEY.
Result<std::string> send(const AdminServer& server, net::Call call) {
  if (auto allowed = check_key_target(server.url, server.insecure_http); !allowed)
    return std::unexpected(allowed.error());
  const char* key = std::getenv("FINALITY_KEY");
  if (key == nullptr) return fail(fmt::format("FINALITY_KEY is not set: set it to {} key", server.role));
  net::IoPool io(1);
  const auto client = net::HttpClient::create(io);
  call.headers.add("Authorization", std::string("Bearer ") + key);
  if (!server.merchant.empty()) call.headers.add(std::string(kMerchantHeader), server.merchant);
  call.response_bytes_max = kResponseBytesMax;
  std::promise<net::CallResult> answered;
  client->call(std::move(call), [&](net::CallResult outcome) { answered.set_value(std::move(outcome)); });
  net::CallResult outcome = answered.get_future().get();
  if (!outcome.answered) return fail(fmt::format("no response from {}: {}", server.url, outcome.failure));
  const net::HttpResponse& response = outcome.response;
  if (response.status < 300) return outcome.response.body;
  const std::string problem = server.json_errors ? response.body : problem_text(response.body);
  const bool lacks_merchant = !server.json_errors && server.merchant.empty() && problem.contains(kMerchantHeader);
  return fail(fmt::format("{} returned status {}: {}{}", server.url, response.status, problem,
                          lacks_merchant ? ". Pass --merchant mer_…" : ""));
}

// Returns the URL of `path`, which begins with a slash. The URL of the server may end in slashes.
std::string url_at(const AdminServer& server, const std::string& path) {
  std::string url = server.url;
  while (url.ends_with('/')) url.pop_back();
  return url + path;
}

net::Call post_of(std::string url, std::string body, const char* content_type) {
  net::Call call;
  call.url = std::move(url);
  call.method = "POST";
  call.headers.add("Content-Type", content_type);
  call.body = std::move(body);
  return call;
}

}  // namespace

CLI::Option* add_server_options(CLI::App& command, AdminServer& server, const std::string& role) {
  server.role = role;
  auto* url = command.add_option(
      "--server", server.url,
      "URL of a running server, with https unless it is on this machine; requires " + role + " key in FINALITY_KEY");
  command
      .add_flag("--insecure-http", server.insecure_http,
                "Send the key over plain http to another machine: everyone on the path can read it")
      ->needs(url);
  return url;
}

Result<void> check_key_target(const std::string& url, bool insecure_http) {
  const auto parsed = net::parse_http_url(url);
  if (!parsed) return fail("--server is not a URL of a server: " + parsed.error().message);
  if (parsed->tls || insecure_http || net::is_loopback_host(parsed->host)) return {};
  return fail(
      fmt::format("the key is not sent over plain http to {}, because everyone on the path could read it: use an "
                  "https URL, or --insecure-http if the network is trusted",
                  parsed->host));
}

Result<std::string> post_as_admin(const AdminServer& server, const std::string& path, const std::string& body) {
  return send(server, post_of(url_at(server, path), body, "application/json"));
}

Result<std::string> upload_as_admin(const AdminServer& server, const std::string& path, std::string file) {
  net::Call call = post_of(url_at(server, path), std::move(file), "application/octet-stream");
  call.timeout = kUploadTimeout;
  return send(server, std::move(call));
}

Result<std::string> get_as_admin(const AdminServer& server, const std::string& path) {
  net::Call call;
  call.url = url_at(server, path);
  return send(server, std::move(call));
}

}  // namespace finality::app
