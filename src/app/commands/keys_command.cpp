// Command `finality keys create`: creates an API key in a store or through a running server.
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

struct Options {
  std::string store;
  AdminServer server;
  std::string merchant;
  std::string role;
  std::string name = "key";
};

int create_over_http(const Options& options) {
  boost::json::object body{{"name", options.name}};
  if (!options.merchant.empty()) body["merchant"] = options.merchant;
  if (!options.role.empty()) body["role"] = options.role;
  const auto answer = post_as_admin(options.server, "/v1/api_keys", boost::json::serialize(body));
  if (!answer) return report(answer.error());
  fmt::print("{}\n", *answer);
  return 0;
}

int create_in_store(const Options& options) {
  const auto merchant = parse_id<MerchantId>(options.merchant);
  if (!options.merchant.empty() && !merchant) return report_usage({"--merchant must be a merchant id (mer_…)"});
  const auto role = options.role.empty() ? std::optional(Role::merchant) : parse_role(options.role);
  if (!role || (*role == Role::merchant) != merchant.has_value())
    return report_usage({"use either --merchant mer_… or --role viewer|operator|approver|admin"});
  auto offline = OfflineEngine::open(options.store);
  if (!offline) return report(offline.error());
  const auto key = make_key((*offline)->engine(), merchant, *role, options.name);
  if (!key) return report(key.error());
  fmt::print("{}\n", key->text.reveal());
  fmt::print(stderr, "Key id: {0}. To revoke the key: DELETE /v1/api_keys/{0}\n", to_text(key->id));
  return 0;
}

}  // namespace

void add_keys(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* keys = add_command(app, "keys", "Create API keys");
  keys->require_subcommand(1);
  CLI::App* create = add_command(*keys, "create", "Create an API key and print it; it is shown only once");
  auto* store = create->add_option("--store", options->store,
                                   std::string(kStoreUrls) + "; stop the server first if it uses SQLite");
  auto* server = add_server_options(*create, options->server, "an admin");
  store->excludes(server);
  create->add_option("--merchant", options->merchant, "Create a secret key of this merchant (mer_…)");
  create->add_option("--role", options->role,
                     "Create an operator key with this role: viewer, operator, approver or admin");
  create->add_option("--name", options->name, "Name of the key, shown in listings")->capture_default_str();
  create->callback([options, &exit_code] {
    if (options->store.empty() && options->server.url.empty()) throw CLI::RequiredError("--store or --server");
    exit_code = options->server.url.empty() ? create_in_store(*options) : create_over_http(*options);
  });
}

}  // namespace finality::app
