// Command `finality migrate`: creates a store or updates its schema.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "store/store.h"

namespace finality::app {

void add_migrate(CLI::App& app, int& exit_code) {
  struct Options {
    std::string store;
    std::string role;
    std::string distributed;
  };
  auto options = std::make_shared<Options>();
  CLI::App* migrate = add_command(app, "migrate", "Create a store, or update its schema");
  migrate->add_option("--store", options->store, kStoreUrls)->required();
  migrate->add_option("--role", options->role,
                      "PostgreSQL: grant this role the privileges to run Finality; it cannot change entries or events");
  migrate
      ->add_option("--distributed", options->distributed,
                   "PostgreSQL with the citus extension: distribute the tables by merchant; this cannot be undone")
      ->check(CLI::IsMember({"citus"}));
  migrate->callback([options, &exit_code] {
    const auto store = open_store({.url = options->store, .migrate = true});
    if (!store) {
      exit_code = report(store.error());
      return;
    }
    if (!options->distributed.empty())
      if (const auto distributed = distribute_tables(options->store); !distributed) {
        exit_code = report(distributed.error());
        return;
      }
    if (!options->role.empty())
      if (const auto granted = grant_running_role(options->store, options->role); !granted) {
        exit_code = report(granted.error());
        return;
      }
    fmt::print(
        "The store is up to date. Next, for a new store: create a key with 'finality keys create --role admin --store "
        "…'. Then start the server: finality serve --config FILE\n");
  });
}

}  // namespace finality::app
