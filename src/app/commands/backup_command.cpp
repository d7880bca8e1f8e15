// Command `finality backup`: copies a whole store to a file. Command `finality restore`: creates a store from such a
// file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "store/backup.h"
#include "store/store.h"

namespace finality::app {
namespace {

struct Options {
  std::string store;
  std::string file;
};

int back_up_store(const Options& options) {
  if (const auto done = back_up(options.store, options.file); !done) return report(done.error());
  fmt::print("{} contains the store as of the start of the backup.\n", options.file);
  return 0;
}

int restore_store(const Options& options) {
  if (const auto done = restore(options.store, options.file); !done) return report(done.error());
  fmt::print(
      "Restored. Next, check the store: finality verify --store …. If the schema of the backup is older than this "
      "program, first run: finality migrate --store …. Then start the server: finality serve --config FILE\n");
  return 0;
}

}  // namespace

void add_backup(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* backup = add_command(app, "backup", "Copy a whole store to a file; the store can be in use");
  backup->add_option("--store", options->store, kStoreUrls)->required();
  backup->add_option("--to", options->file, "Backup file to create; it must not exist")->required();
  backup->callback([options, &exit_code] { exit_code = back_up_store(*options); });

  CLI::App* back = add_command(app, "restore", "Create a new store from a backup");
  back->add_option("--store", options->store, std::string(kStoreUrls) + "; it must be empty")->required();
  back->add_option("--from", options->file, "File written by finality backup")->required();
  back->callback([options, &exit_code] { exit_code = restore_store(*options); });
}

}  // namespace finality::app
