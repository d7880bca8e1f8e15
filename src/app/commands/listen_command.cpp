// Command `finality listen`: receives, verifies and prints webhooks on this machine, for merchant developers.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/commands/webhook_check.h"
#include "app/config/secret_file.h"
#include "base/net/http_server.h"
#include "base/printable.h"
#include "worker/effects/webhook_signature.h"

namespace finality::app {
namespace {

namespace json = boost::json;

constexpr std::string_view kSecretVariable = "FINALITY_WEBHOOK_SECRET";

struct Options {
  std::uint16_t port = 8070;
  std::string secret_file;
  std::string demo = "demo-data";
  int status = 200;
};

// Returns the webhook secret from --secret-file, the environment variable or a running demo: the first that is set.
Result<Secret> secret_of(const Options& options) {
  if (!options.secret_file.empty()) {
    std::string text = read_file(options.secret_file);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (text.empty()) return fail(options.secret_file + " is missing or empty: it must contain the secret (whsec_…)");
    return Secret(text);
  }
  if (const char* variable = std::getenv(kSecretVariable.data()); variable != nullptr && *variable != '\0')
    return Secret(variable);
  boost::system::error_code broken;
  const json::value demo = json::parse(read_file(options.demo + "/demo.json"), broken);
  if (!broken && demo.is_object())
    if (const json::value* secret = demo.as_object().if_contains("webhook_secret"); secret && secret->is_string())
      return Secret(std::string(secret->as_string()));
  return fail(fmt::format("no webhook secret: set {} or --secret-file, or start `finality demo` with --data {}",
                          kSecretVariable, options.demo));
}

// Appends the value to `out` as JSON, indented by two spaces per level.
void print_json(const json::value& value, std::string& out, int level) {
  const std::string indent(static_cast<std::size_t>(2 * (level + 1)), ' ');
  const auto close = [&](char bracket) { out += '\n' + indent.substr(2) + bracket; };
  std::string_view separator = "\n";
  if (value.is_object() && !value.as_object().empty()) {
    out += '{';
    for (const auto& [name, member] : value.as_object()) {
      out += std::string(std::exchange(separator, ",\n")) + indent + json::serialize(name) + ": ";
      print_json(member, out, level + 1);
    }
    close('}');
  } else if (value.is_array() && !value.as_array().empty()) {
    out += '[';
    for (const json::value& member : value.as_array()) {
      out += std::string(std::exchange(separator, ",\n")) + indent;
      print_json(member, out, level + 1);
    }
    close(']');
  } else {
    out += json::serialize(value);
  }
}

// The body for display: indented if it is JSON, otherwise as one quoted text with escaped control characters.
std::string readable(const std::string& body) {
  boost::system::error_code broken;
  const json::value parsed = json::parse(body, broken);
  std::string out;
  if (broken) return json::serialize(body);
  print_json(parsed, out, 0);
  return out;
}

class Listener {
 public:
  /// `clock` must outlive this object.
  Listener(Secret secret, int status, const Clock& clock)
      : secret_(std::move(secret)), status_(status), clock_(clock) {}

  net::HttpResponse receive(const net::HttpRequest& request) {
    const Time now = clock_.now();
    const Result<void> checked = check_webhook(request, secret_, now);
    const std::lock_guard lock(mutex_);
    const std::string text =
        fmt::format("{}  {} {}  {}\n{}\n\n", to_rfc3339(now), request.method, json::serialize(request.target),
                    checked ? "signature valid, webhook-id " + std::string(request.headers.get("webhook-id"))
                            : "NOT VERIFIED: " + checked.error().message,
                    readable(request.body));
    fmt::print("{}", printable(text));
    std::fflush(stdout);
    net::HttpResponse response{.status = checked ? status_ : 401, .headers = {}, .body = checked ? "success" : ""};
    return response;
  }

 private:
  const Secret secret_;
  const int status_;
  const Clock& clock_;
  std::mutex mutex_;
};

int run(const Options& options) {
  Result<Secret> secret = secret_of(options);
  if (!secret) return report(secret.error());
  if (const auto usable = webhook_signature({*secret}, "msg_1", Time{}, ""); !usable) return report(usable.error());
  const SystemClock clock;  // signatures state the time of the machine, also those of a demo whose clock was advanced
  Listener listener(std::move(*secret), options.status, clock);
  net::IoPool io(1);
  auto server = net::HttpServer::listen(io, {.port = options.port},
                                        [&listener](const net::HttpRequest& request, const net::Respond& respond) {
                                          respond(listener.receive(request));
                                        });
  if (!server) return report(server.error());
  fmt::print(
      "Listening for webhooks. Use this URL as the notify_url of an order, or register it as an endpoint:\n\n"
      "  http://127.0.0.1:{}/\n\n"
      "A registered endpoint has its own secret, which its response shows once. To verify its webhooks, start this\n"
      "command again with that secret in --secret-file or {}.\n\nPress Ctrl-C to stop.\n\n",
      (*server)->port(), kSecretVariable);
  std::fflush(stdout);
  std::promise<void> stopped;
  std::atomic<bool> once{false};
  io.on_stop_signal([&] {
    if (!once.exchange(true)) (*server)->drain(std::chrono::seconds(1), [&] { stopped.set_value(); });
  });
  stopped.get_future().wait();
  server->reset();
  return 0;
}

}  // namespace

void add_listen(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* listen = add_command(app, "listen", "Receive webhooks on this machine, verify and print them");
  listen->add_option("--port", options->port, "Port to listen on; 0 selects a free port")->capture_default_str();
  listen->add_option(
      "--secret-file", options->secret_file,
      "File with the webhook secret (whsec_…); default: FINALITY_WEBHOOK_SECRET, then the secret of the demo");
  listen->add_option("--demo", options->demo, "Data directory of a running demo, for its webhook secret")
      ->capture_default_str();
  listen
      ->add_option("--status", options->status,
                   "Status of the response to a valid webhook; use an error status to test retries")
      ->check(CLI::Range(200, 599))
      ->capture_default_str();
  listen->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace finality::app
