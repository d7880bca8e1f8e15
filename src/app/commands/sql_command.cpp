// Command `finality sql`: lists every SQL statement that Finality sends to PostgreSQL.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "store/postgres/statement.h"

namespace finality::app {

void add_sql(CLI::App& app) {
  CLI::App* sql = add_command(app, "sql", "List every SQL statement sent to PostgreSQL, with its tables and shards");
  auto format = std::make_shared<std::string>("markdown");
  sql->add_option("--format", *format, "markdown or json")
      ->check(CLI::IsMember({"markdown", "json"}))
      ->capture_default_str();
  sql->callback(
      [format] { fmt::print("{}\n", *format == "json" ? postgres::statements_json() : postgres::statements_page()); });
}

}  // namespace finality::app
