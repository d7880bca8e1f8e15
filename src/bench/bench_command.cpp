#include "bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/admin_client.h"
#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "bench/accounts.h"
#include "bench/http.h"
#include "bench/lifecycle.h"
#include "store/store.h"

namespace finality::bench {

using namespace app;
namespace {

constexpr std::size_t kOperationsMax = 100'000'000;
constexpr std::size_t kSpreadMax = 100'000;
constexpr std::size_t kClientsMax = 4096;
constexpr std::size_t kBytesMax = 1'000'000;

void add_count(CLI::App& command, const char* name, std::size_t& value, const char* what, std::size_t max) {
  command.add_option(name, value, what)->check(CLI::Range(std::size_t{1}, max))->capture_default_str();
}

// Adds the HTTP benchmarks. They are hidden because tools/bench runs them, together with the server that they measure.
void add_http(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<HttpBench>();
  CLI::App* http = add_command(bench, "http", "Benchmark a running server over HTTP")->group("");
  http->add_option("--url", options->url, "The server's URL")->required();
  http->add_option("--key", options->key, "A merchant's secret key")->required();
  http->add_option("--rate", options->rate, "Orders per second")->check(CLI::PositiveNumber)->capture_default_str();
  http->add_option("--seconds", options->seconds, "Duration in seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  http->add_option("--payments", options->payments, "Number of complete payments to measure instead of orders")
      ->capture_default_str();
  http->add_option("--channel", options->channel, "Channel of the payments")->capture_default_str();
  add_count(*http, "--connections", options->connections, "Number of connections", kClientsMax);
  add_count(*http, "--clients", options->clients, "Number of concurrent payments", kClientsMax);
  http->add_flag("--insecure-http", options->insecure_http, "Send the key over plain http to another machine");
  http->callback([options, &exit_code] {
    const auto allowed = check_key_target(options->url, options->insecure_http);
    exit_code = allowed ? run_http_bench(*options) : report_usage(allowed.error());
  });

  auto same = std::make_shared<ConstantBench>();
  CLI::App* constant = add_command(bench, "constant", "Serve a constant response")->group("");
  constant->add_option("--port", same->port, "Port to listen on")->capture_default_str();
  add_count(*constant, "--bytes", same->bytes, "Size of the response body", kBytesMax);
  constant->callback([same, &exit_code] { exit_code = run_constant_bench(*same); });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* bench = add_command(app, "bench", "Run benchmarks");
  bench->require_subcommand(1);

  auto lifecycle = std::make_shared<LifecycleBench>();
  CLI::App* payments =
      add_command(*bench, "lifecycle", "Benchmark complete payments in the engine, without the network");
  payments->add_option("--store", lifecycle->store, kStoreUrls)->required();
  add_count(*payments, "--payments", lifecycle->payments, "Number of payments", kOperationsMax);
  add_count(*payments, "--merchants", lifecycle->merchants, "Number of merchants", kSpreadMax);
  payments->add_option("--merchant", lifecycle->merchant,
                       "Use only this merchant (mer_…), so that several processes share a hot merchant");
  add_count(*payments, "--clients", lifecycle->clients, "Number of concurrent payments", kClientsMax);
  payments
      ->add_option_function<std::string>(
          "--capture",
          [lifecycle](const std::string& name) {
            lifecycle->capture = parse_enum<CaptureMethod>(name).value_or(CaptureMethod::automatic);
          },
          "automatic, or manual: each payment is an authorization and its capture")
      ->check(CLI::IsMember({"automatic", "manual"}))
      ->default_str("automatic");
  payments
      ->add_option("--merchant-ids", lifecycle->merchant_ids,
                   "File with the database ids of existing merchants, one per line")
      ->group("");
  payments->add_flag("--floor", lifecycle->floor, "SQLite only: also run the same statements without the engine");
  payments->add_flag("--json", lifecycle->json, "Print JSON");
  payments->callback([lifecycle, &exit_code] { exit_code = run_lifecycle_bench(*lifecycle); });

  auto accounts = std::make_shared<AccountsBench>();
  CLI::App* money = add_command(*bench, "accounts", "Benchmark transfers and holds in the engine, without the network");
  money->add_option("--store", accounts->store, kStoreUrls)->required();
  add_count(*money, "--operations", accounts->operations, "Number of transfers and posted holds", kOperationsMax);
  add_count(*money, "--accounts", accounts->accounts, "Number of debited accounts; 1 is a hot account", kSpreadMax);
  add_count(*money, "--clients", accounts->clients, "Number of concurrent operations", kClientsMax);
  money->add_flag("--json", accounts->json, "Print JSON");
  money->callback([accounts, &exit_code] { exit_code = run_accounts_bench(*accounts); });

  add_http(*bench, exit_code);
}

}  // namespace finality::bench
