// Command `finality statements`: lists every SQL statement that Finality sends to PostgreSQL.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "store/postgres/statement.h"

namespace finality::app {

void add_statements(CLI::App& app) {
  CLI::App* statements =
      add_command(app, "statements", "List every SQL statement sent to PostgreSQL, with its tables and shards");
  auto format = std::make_shared<std::string>("markdown");
  statements->add_option("--format", *format, "markdown or json")
      ->check(CLI::IsMember({"markdown", "json"}))
      ->capture_default_str();
  statements->callback(
      [format] { fmt::print("{}\n", *format == "json" ? postgres::statements_json() : postgres::statements_page()); });
}

}  // namespace finality::app
