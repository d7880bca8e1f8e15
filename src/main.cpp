// Entry point of the program `finality`: registers the commands (app/commands/) and runs the selected one.
#include <sys/stat.h>

#include <CLI/CLI.hpp>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/version.h"
#include "bench/bench_command.h"

int main(int argc, char** argv) {
  ::umask(0077);  // only their owner can read stores, backups and key files
  CLI::App app{
      "Finality is a payment core: each order reaches exactly one final state, and the ledger always balances."};
  app.name("finality");
  app.set_version_flag("--version", finality::app::kVersion);
  app.require_subcommand(1);
  app.failure_message(finality::app::failure_message);

  int exit_code = 0;
  finality::app::add_demo(app, exit_code);
  finality::app::add_serve(app, exit_code);
  finality::app::add_sandbox(app, exit_code);
  finality::app::add_listen(app, exit_code);
  finality::app::add_verify(app, exit_code);
  finality::app::add_backup(app, exit_code);
  finality::app::add_archive(app, exit_code);
  finality::app::add_unarchive(app, exit_code);
  finality::app::add_fsm(app, exit_code);
  finality::app::add_migrate(app, exit_code);
  finality::app::add_keys(app, exit_code);
  finality::app::add_merchants(app, exit_code);
  finality::app::add_statements(app, exit_code);
  finality::app::add_differences(app, exit_code);
  finality::app::add_reconcile(app, exit_code);
  finality::bench::add_bench(app, exit_code);
  finality::app::add_simulate(app, exit_code);
  finality::app::add_history(app, exit_code);
  finality::app::add_id(app, exit_code);
  finality::app::add_clock(app, exit_code);
  finality::app::add_errors(app);
  finality::app::add_chart(app);
  finality::app::add_channels(app);
  finality::app::add_schema(app);
  finality::app::add_sql(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : finality::app::kUsageError;
  }
  return exit_code;
}
