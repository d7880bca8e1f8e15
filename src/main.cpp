// Entry point of the program `finality`.
#include "app/commands/command_line.h"
#include "app/commands/commands.h"

namespace {

void add_commands(CLI::App& app, int& exit_code) {
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
  finality::app::add_orders(app, exit_code);
  finality::app::add_statements(app, exit_code);
  finality::app::add_differences(app, exit_code);
  finality::app::add_reconcile(app, exit_code);
  finality::app::add_lab_commands(app, exit_code);
  finality::app::add_id(app, exit_code);
  finality::app::add_clock(app, exit_code);
  finality::app::add_errors(app);
  finality::app::add_chart(app);
  finality::app::add_channels(app);
  finality::app::add_schema(app);
  finality::app::add_sql(app);
}

}  // namespace

int main(int argc, char** argv) {
  return finality::app::run_command_line(
      argc, argv, "finality",
      "Finality is a payment core: each order reaches exactly one final state, and the ledger always balances.",
      add_commands);
}
