// finality migrate: bring a store's schema up to date.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/report.h"
#include "store/store.h"

namespace finality::app {

void add_migrate(CLI::App& app, int& exit_code) {
  auto url = std::make_shared<std::string>();
  CLI::App* migrate = app.add_subcommand("migrate", "Create a store, or bring its schema up to date");
  migrate->add_option("--store", *url, kStoreUrls)->required();
  migrate->callback([url, &exit_code] {
    const auto store = open_store({.url = *url, .migrate = true});
    if (!store) {
      exit_code = report(store.error());
      return;
    }
    fmt::print("The store is up to date.\n");
  });
}

}  // namespace finality::app
