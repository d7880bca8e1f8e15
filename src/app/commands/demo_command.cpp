// finality demo: server and sandbox on the embedded store, with a test merchant, ready in a second.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/bootstrap.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/config/config.h"
#include "app/config/secret_file.h"
#include "app/demo/demo_channels.h"
#include "app/demo/sandbox_process.h"
#include "app/node.h"
#include "base/file_lock.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::uint16_t port = 8080;
  std::uint16_t sandbox_port = 8090;
  std::string data = "demo-data";
  std::string store;  // empty: on SQLite, in `data`
  std::string keys;   // empty: in `data`
  double time_scale = 1.0;
};

// The time of the server and its sandbox: a demo may be a day later at any moment.
std::string clock_of(const Options& options) { return options.data + "/clock"; }

NodeOptions node_options(const Options& options) {
  NodeOptions node;
  node.store_url = options.store.empty() ? "sqlite:" + options.data + "/finality.db" : options.store;
  node.clock_file = clock_of(options);
  node.port = options.port;
  node.policy.public_url = fmt::format("http://127.0.0.1:{}", options.port);
  node.policy.time_scale = options.time_scale;
  node.policy.allow_private = {"127.0.0.1"};
  return node;
}

// Whoever else started a demo on the directory would stop its sandbox.
Result<FileLock> lock_directory(const std::string& data) {
  return FileLock::take(
      data + "/demo.lock",
      fmt::format("another demo is running on {}: stop it, or name another directory with --data", data));
}

// The test merchant's and the operators' keys: made once per directory, kept in DIR/credentials.json.
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

// Where the sandbox keeps its gateways' keys.
const std::string& keys_of(const Options& options) { return options.keys.empty() ? options.data : options.keys; }

void greet(const std::string& base_url, const std::string& sandbox_url, const std::string& key,
           const std::string& clock) {
  fmt::print(R"text(
Finality is ready. Pay a first order (the payer pays by himself after a moment):

  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}' \
       -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" \
       -d '{{"merchant_order_no":"first-'$(date +%s)'","amount":8000,"currency":"CNY","subject":"Tea",
            "payment":{{"channel":"sandbox","scenario":"pays"}}}}'

Then look at it:

  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}'
  curl -s {0}/v1/orders/ORDER_ID/timeline -H 'Authorization: Bearer {1}'

Pay by hand, over Alipay's page and over WeChat Pay's code: open the printed page in a browser.

  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}' -H 'Content-Type: application/json' \
       -d '{{"merchant_order_no":"alipay-'$(date +%s)'","amount":8000,"currency":"CNY","subject":"Tea",
            "payment":{{"channel":"alipay"}}}}' | grep -o 'http[^"]*/checkout/[^"]*'
  curl -s {0}/v1/orders -H 'Authorization: Bearer {1}' -H 'Content-Type: application/json' \
       -d '{{"merchant_order_no":"wechat-'$(date +%s)'","amount":8000,"currency":"CNY","subject":"Tea",
            "payment":{{"channel":"wechatpay"}}}}' | grep -o 'http[^"]*/checkout/[^"]*'

Move the clock forward, for this server and its sandbox:

  finality clock advance 1d --file {3}

  The payers' side   {2}/
  Its books          {2}/ledger
  The contract       {0}/openapi.json
  Metrics            {0}/metrics

Ctrl-C stops both.
)text",
             base_url, key, sandbox_url, clock);
  std::fflush(stdout);
}

int run(const Options& options) {
  std::error_code made;
  std::filesystem::create_directories(options.data, made);
  if (made) return report({fmt::format("cannot make the directory {}: {}", options.data, made.message())});
  const auto lock = lock_directory(options.data);
  if (!lock) return report(lock.error());
  const std::string ready = options.data + "/demo.json";
  std::remove(ready.c_str());
  const auto secret = read_or_make_secret(options.data + "/sandbox.secret");
  if (!secret) return report(secret.error());

  // Before any thread is started: the sandbox is forked.
  auto sandbox = SandboxProcess::start_or_adopt(options.data, keys_of(options), options.sandbox_port,
                                                options.time_scale, clock_of(options));
  if (!sandbox) return report(sandbox.error());
  const std::string sandbox_url = fmt::format("http://127.0.0.1:{}", sandbox->port());
  NodeOptions settings = node_options(options);
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
  if (sandbox->adopted()) fmt::print("Went on with the sandbox that was running on {}.\n", options.data);
  greet(base_url, sandbox_url, std::string(shown->at("secret_key").as_string()), clock_of(options));

  (*node)->run_until_stopped();
  sandbox->stop();
  std::remove(ready.c_str());
  return 0;
}

}  // namespace

void add_demo(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* demo = add_command(app, "demo", "Run server and sandbox with a test merchant, to try everything");
  demo->add_option("--port", options->port, "Port of the API")->capture_default_str();
  demo->add_option("--sandbox-port", options->sandbox_port, "Port of the sandbox")->capture_default_str();
  demo->add_option("--data", options->data, "Directory of both stores and of demo.json")->capture_default_str();
  demo->add_option("--store", options->store,
                   std::string(kStoreUrls) + "; without it DIR/finality.db. One directory goes with one store");
  demo->add_option("--keys", options->keys,
                   "Directory of the gateways' keys and certificates, made if there are none; without it DIR");
  demo->add_option("--time-scale", options->time_scale,
                   "Makes every retry, query and notification schedule this much faster (expiries stay)")
      ->check(CLI::Range(kTimeScaleMin, kTimeScaleMax))
      ->capture_default_str();
  demo->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace finality::app
