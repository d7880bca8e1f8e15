// finality backup, finality restore: a copy of a whole store, and a store made of one.
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
  fmt::print("{} holds the store as it was when this began.\n", options.file);
  return 0;
}

int restore_store(const Options& options) {
  if (const auto done = restore(options.store, options.file); !done) return report(done.error());
  fmt::print("Restored. Check it before you serve from it: finality verify --store …\n");
  return 0;
}

}  // namespace

void add_backup(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* backup = add_command(app, "backup", "Copy a whole store to a file; it may be in use");
  backup->add_option("--store", options->store, kStoreUrls)->required();
  backup->add_option("--to", options->file, "A new file")->required();
  backup->callback([options, &exit_code] { exit_code = back_up_store(*options); });

  CLI::App* back = add_command(app, "restore", "Make a new store of a backup");
  back->add_option("--store", options->store, std::string(kStoreUrls) + "; it must not hold anything yet")->required();
  back->add_option("--from", options->file, "The file that finality backup wrote")->required();
  back->callback([options, &exit_code] { exit_code = restore_store(*options); });
}

}  // namespace finality::app
