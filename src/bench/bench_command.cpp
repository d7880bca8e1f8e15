#include "bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command_line.h"
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

// Over the network: for tools/bench, which starts the server.
void add_http(CLI::App& bench, int& exit_code) {
  auto options = std::make_shared<HttpBench>();
  CLI::App* http = add_command(bench, "http", "Orders or whole payments over HTTP")->group("");
  http->add_option("--url", options->url, "The server's URL")->required();
  http->add_option("--key", options->key, "A merchant's secret key")->required();
  http->add_option("--rate", options->rate, "Orders a second")->check(CLI::PositiveNumber)->capture_default_str();
  http->add_option("--seconds", options->seconds, "How long")->check(CLI::PositiveNumber)->capture_default_str();
  http->add_option("--payments", options->payments, "Whole payments instead, so many")->capture_default_str();
  add_count(*http, "--connections", options->connections, "Open so many", kClientsMax);
  add_count(*http, "--clients", options->clients, "So many payments at once", kClientsMax);
  http->callback([options, &exit_code] { exit_code = run_http_bench(*options); });

  auto same = std::make_shared<ConstantBench>();
  CLI::App* constant = add_command(bench, "constant", "The same answer to every request")->group("");
  constant->add_option("--port", same->port, "Listen there")->capture_default_str();
  add_count(*constant, "--bytes", same->bytes, "Of each answer", kBytesMax);
  constant->callback([same, &exit_code] { exit_code = run_constant_bench(*same); });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* bench = add_command(app, "bench", "Measure");
  bench->require_subcommand(1);

  auto lifecycle = std::make_shared<LifecycleBench>();
  CLI::App* payments = add_command(*bench, "lifecycle", "Whole payments through the engine, without the network");
  payments->add_option("--store", lifecycle->store, kStoreUrls)->required();
  add_count(*payments, "--payments", lifecycle->payments, "How many", kOperationsMax);
  add_count(*payments, "--merchants", lifecycle->merchants, "Spread over so many", kSpreadMax);
  payments->add_option("--merchant", lifecycle->merchant,
                       "All of this one instead (mer_…): several processes at once have a hot merchant in common");
  add_count(*payments, "--clients", lifecycle->clients, "So many at once", kClientsMax);
  payments->add_option("--merchant-ids", lifecycle->merchant_ids, "A file of merchants that are there, one a line")
      ->group("");
  payments->add_flag("--floor", lifecycle->floor, "SQLite only: run its statements without the program too");
  payments->add_flag("--json", lifecycle->json, "Print JSON");
  payments->callback([lifecycle, &exit_code] { exit_code = run_lifecycle_bench(*lifecycle); });

  auto accounts = std::make_shared<AccountsBench>();
  CLI::App* money = add_command(*bench, "accounts", "Transfers and holds through the engine, without the network");
  money->add_option("--store", accounts->store, kStoreUrls)->required();
  add_count(*money, "--operations", accounts->operations, "How many transfers, and holds that are posted",
            kOperationsMax);
  add_count(*money, "--accounts", accounts->accounts, "Taken from so many; 1 is a hot account", kSpreadMax);
  add_count(*money, "--clients", accounts->clients, "So many at once", kClientsMax);
  money->add_flag("--json", accounts->json, "Print JSON");
  money->callback([accounts, &exit_code] { exit_code = run_accounts_bench(*accounts); });

  add_http(*bench, exit_code);
}

}  // namespace finality::bench
