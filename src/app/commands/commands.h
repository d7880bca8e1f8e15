// The commands of the command line. Each function adds one command to the parser. A command that can fail stores its
// exit code in `exit_code`, which must outlive the parser.
#pragma once

namespace CLI {
class App;
}

namespace finality::app {

void add_demo(CLI::App& app, int& exit_code);
void add_serve(CLI::App& app, int& exit_code);
void add_sandbox(CLI::App& app, int& exit_code);
void add_listen(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_fsm(CLI::App& app, int& exit_code);
void add_migrate(CLI::App& app, int& exit_code);
void add_keys(CLI::App& app, int& exit_code);
void add_merchants(CLI::App& app, int& exit_code);
void add_backup(CLI::App& app, int& exit_code);
void add_archive(CLI::App& app, int& exit_code);
void add_unarchive(CLI::App& app, int& exit_code);
void add_lab_commands(CLI::App& app, int& exit_code);
void add_id(CLI::App& app, int& exit_code);
void add_clock(CLI::App& app, int& exit_code);
void add_orders(CLI::App& app, int& exit_code);
void add_statements(CLI::App& app, int& exit_code);
void add_differences(CLI::App& app, int& exit_code);
void add_reconcile(CLI::App& app, int& exit_code);
void add_errors(CLI::App& app);
void add_chart(CLI::App& app);
void add_channels(CLI::App& app);
void add_schema(CLI::App& app);
void add_sql(CLI::App& app);

}  // namespace finality::app
