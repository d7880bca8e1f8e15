// Command `finality demo`: runs the server and the sandbox with a test merchant, on SQLite by default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/config/config.h"
#include "app/config/secret_file.h"
#include "app/demo/demo_channels.h"
#include "app/demo/sandbox_process.h"
#include "app/merchants_and_keys.h"
#include "app/node.h"
#include "base/file_lock.h"
#include "worker/statements/sealed_file.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::uint16_t port = 8080;
  std::uint16_t sandbox_port = 8090;
  std::string data = "demo-data";
  std::string store;  // URL; empty: SQLite database in `data`
  std::string keys;   // directory; empty: same directory as `data`
  double time_scale = 1.0;
};

// Clock file shared by the server and its sandbox, so that a demo can advance the time.
std::string clock_of(const Options& options) { return options.data + "/clock"; }

NodeOptions node_options(const Options& options) {
  NodeOptions node;
  node.store_url = options.store.empty() ? "sqlite:" + options.data + "/finality.db" : options.store;
  node.clock_file = clock_of(options);
  node.port = options.port;
  node.policy.public_url = fmt::format("http://127.0.0.1:{}", options.port);
  node.policy.time_scale = options.time_scale;
  node.policy.allow_private = {"127.0.0.1"};
  // A demo and the benchmarks use one address and one merchant. The highest limits keep the checks of the limits.
  node.rate_limits.per_second.fill(http::kRatePerSecondMax);
  return node;
}

// Allows only one demo per data directory: a second demo would stop the sandbox of the first.
Result<FileLock> lock_directory(const std::string& data) {
  return FileLock::take(
      data + "/demo.lock",
      fmt::format("another demo is running on {}: stop it, or set --data to another directory", data));
}

// Keys of the test merchant and the operators. Created once per data directory, then read from `path`.
Result<json::object> credentials(Node& node, const std::string& path) {
  boost::system::error_code broken;
  if (const json::value kept = json::parse(read_file(path), broken); !broken && kept.is_object())
    return kept.as_object();

  const auto merchant = make_merchant(node.engine(), "Demo shop");
  if (!merchant) return std::unexpected(merchant.error());
  const auto key = make_key(node.engine(), merchant->id, Role::merchant, "demo");
  if (!key) return std::unexpected(key.error());
  json::object made{{"merchant_id", to_text(merchant->id)},
                    {"secret_key", key->text.reveal()},
                    {"webhook_secret", merchant->webhook_secret.reveal()}};
  json::object operators;
  for (const Role role : {Role::operator_, Role::approver, Role::admin}) {
    const auto operator_key = make_key(node.engine(), std::nullopt, role, fmt::format("demo {}", text_of(role)));
    if (!operator_key) return std::unexpected(operator_key.error());
    operators[text_of(role)] = operator_key->text.reveal();
  }
  made["operators"] = std::move(operators);
  if (auto written = write_private_file(path, json::serialize(made) + "\n"); !written)
    return std::unexpected(written.error());
  return made;
}

// Directory where the sandbox stores the keys of its gateways.
const std::string& keys_of(const Options& options) { return options.keys.empty() ? options.data : options.keys; }

void greet(const std::string& base_url, const std::string& sandbox_url, const std::string& key,
           const Options& options) {
  const std::string text = fmt::format(R"text(
Finality is ready. Receive webhooks in another terminal:

  build/release/finality listen --demo {4}

Create an order (the simulated payer pays automatically after 100 ms):

  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}' \
       -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" \
       -d '{{"merchant_order_no":"first-'$(date +%s)'","amount":8000,"currency":"CNY","subject":"Tea",
            "notify_url":"http://127.0.0.1:8070/","payment":{{"channel":"sandbox","scenario":"pays"}}}}'

List the orders, and show the timeline of one:

  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}'
  curl -s {0}/v1/orders/ORDER_ID/timeline -H 'Authorization: Bearer {1}'

Pay manually with Alipay or WeChat Pay: open the printed URL in a browser.

  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}' -H 'Content-Type: application/json' \
       -d '{{"merchant_order_no":"alipay-'$(date +%s)'","amount":8000,"currency":"CNY","subject":"Tea",
            "payment":{{"channel":"alipay"}}}}' | grep -o 'http[^"]*/checkout/[^"]*'
  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}' -H 'Content-Type: application/json' \
       -d '{{"merchant_order_no":"wechat-'$(date +%s)'","amount":8000,"currency":"CNY","subject":"Tea",
            "payment":{{"channel":"wechatpay"}}}}' | grep -o 'http[^"]*/checkout/[^"]*'

Advance the clock of this server and its sandbox:

  build/release/finality clock advance 1d --file {3}

  Sandbox          {2}/
  Sandbox ledger   {2}/ledger
  API reference    {0}/docs
  API contract     {0}/openapi.json
  Metrics          {0}/metrics

Press Ctrl-C to stop both.
)text",
                                       base_url, key, sandbox_url, clock_of(options), options.data);
  std::fputs(text.c_str(), stdout);  // unlike fmt::print(), ignores that the reader has gone
  std::fflush(stdout);
}

int run(const Options& options) {
  ignore_write_signals();
  if (options.port == options.sandbox_port) return report({"--port and --sandbox-port must be different ports"});
  std::error_code made;
  std::filesystem::create_directories(options.data, made);
  if (made) return report({fmt::format("cannot create directory {}: {}", options.data, made.message())});
  const auto lock = lock_directory(options.data);
  if (!lock) return report(lock.error());
  if (const auto free = check_port(options.port, "API", "--port"); !free) return report(free.error());
  const std::string ready = options.data + "/demo.json";
  std::remove(ready.c_str());
  const auto secret = read_or_make_secret(options.data + "/sandbox.secret");
  if (!secret) return report(secret.error());
  const auto statement_secret = read_or_make_secret(options.data + "/statements.secret");
  if (!statement_secret) return report(statement_secret.error());

  // The sandbox is started with fork(), so this must happen before the process creates threads.
  auto sandbox = SandboxProcess::start_or_adopt(options.data, keys_of(options), options.sandbox_port,
                                                options.time_scale, clock_of(options));
  if (!sandbox) return report(sandbox.error());
  const std::string sandbox_url = fmt::format("http://127.0.0.1:{}", sandbox->port());
  NodeOptions settings = node_options(options);
  settings.statement_key = statement_key_of(*statement_secret);
  settings.archives = options.data + "/archives";
  json::object demo;
  if (auto added = add_demo_channels({options.data, keys_of(options), sandbox_url}, settings, demo); !added) {
    sandbox->stop();
    return report(added.error());
  }
  auto node = Node::start(std::move(settings));
  if (!node) {
    sandbox->stop();
    return report(node.error());
  }
  auto shown = credentials(**node, options.data + "/credentials.json");
  if (!shown) {
    sandbox->stop();
    return report(shown.error());
  }
  const std::string base_url = fmt::format("http://127.0.0.1:{}", (*node)->port());
  demo["base_url"] = base_url;
  demo["sandbox_url"] = sandbox_url;
  for (const auto& [name, value] : *shown) demo[name] = value;
  if (auto written = write_private_file(ready, json::serialize(demo) + "\n"); !written) return report(written.error());
  if (sandbox->adopted())
    std::fputs(fmt::format("Reusing the sandbox that is running on {}.\n", options.data).c_str(), stdout);
  greet(base_url, sandbox_url, std::string(shown->at("secret_key").as_string()), options);

  (*node)->run_until_stopped();
  sandbox->stop();
  std::remove(ready.c_str());
  return 0;
}

}  // namespace

void add_demo(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* demo = add_command(app, "demo", "Run the server and the sandbox with a test merchant, to try Finality");
  demo->add_option("--port", options->port, "API port")->capture_default_str();
  demo->add_option("--sandbox-port", options->sandbox_port, "Sandbox port")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  demo->add_option("--data", options->data, "Data directory DIR: both stores, demo.json, credentials, clock file")
      ->capture_default_str();
  demo->add_option("--store", options->store,
                   std::string(kStoreUrls) + "; default: DIR/finality.db. Use each directory with one store only");
  demo->add_option("--keys", options->keys,
                   "Directory of the gateways' keys and certificates, created if missing; default: DIR");
  demo->add_option("--time-scale", options->time_scale,
                   "Speed up retry, query and notification schedules by this factor; expiries are not affected")
      ->check(CLI::Range(kTimeScaleMin, kTimeScaleMax))
      ->capture_default_str();
  demo->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace finality::app
