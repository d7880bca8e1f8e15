// Command `finality merchants create`: creates a merchant in a store or through a running server.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "app/admin_client.h"
#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/merchants_and_keys.h"
#include "app/offline_engine.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::string store;
  AdminServer server;
  std::string name;
};

int create(const Options& options) {
  if (!options.server.url.empty()) {
    const auto answer =
        post_as_admin(options.server, "/v1/merchants", json::serialize(json::object{{"name", options.name}}));
    if (!answer) return report(answer.error());
    fmt::print("{}\n", *answer);
    return 0;
  }
  auto offline = OfflineEngine::open(options.store);
  if (!offline) return report(offline.error());
  const auto merchant = make_merchant((*offline)->engine(), options.name);
  if (!merchant) return report(merchant.error());
  fmt::print("{}\n", json::serialize(json::object{{"id", to_text(merchant->id)},
                                                  {"object", "merchant"},
                                                  {"name", options.name},
                                                  {"webhook_secret", merchant->webhook_secret.reveal()}}));
  return 0;
}

}  // namespace

void add_merchants(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* merchants = add_command(app, "merchants", "Create merchants");
  merchants->require_subcommand(1);
  CLI::App* made = add_command(*merchants, "create", "Create a merchant and print it with its webhook secret");
  auto* store = made->add_option("--store", options->store,
                                 std::string(kStoreUrls) + "; stop the server first if it uses SQLite");
  auto* server = add_server_options(*made, options->server, "an admin");
  store->excludes(server);
  made->add_option("--name", options->name, "Name of the merchant")->required();
  made->callback([options, &exit_code] {
    if (options->store.empty() && options->server.url.empty()) throw CLI::RequiredError("--store or --server");
    exit_code = create(*options);
  });
}

}  // namespace finality::app
