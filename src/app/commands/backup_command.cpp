// Command `finality backup`: copies a whole store to a file, and writes its SHA-256 beside it. Command `finality
// restore`: creates a store from such a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/progress_line.h"
#include "app/commands/report.h"
#include "base/printable.h"
#include "store/backup.h"
#include "store/file_digest.h"
#include "store/store.h"

namespace finality::app {
namespace {

struct Options {
  std::string store;
  std::string file;
  bool without_digest = false;
};

int back_up_store(const Options& options) {
  ProgressLine line;
  const auto done =
      back_up(options.store, options.file, [&line](std::string_view step) { line.show(std::string(step)); });
  line.clear();
  if (!done) return report(done.error());
  fmt::print("{0} contains the store as of the start of the backup, and {0}.sha256 its SHA-256. Keep both together.\n",
             options.file);
  return 0;
}

// Check of --to: the error, empty if the path can be that of a file.
std::string directory_error(const std::string& path) {
  std::error_code ignored;
  if (!path.ends_with('/') && !std::filesystem::is_directory(path, ignored)) return "";
  const std::string file = std::filesystem::path(path) / "finality-backup";
  return fmt::format("'{}' names a directory. Name the file to create, such as {}", printable(path), printable(file));
}

// Returns the reason why the digest beside the backup does not confirm the file. Empty if it does, or if the digest or
// the file is missing.
std::string digest_warning(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(store::digest_file_of(file), ignored)) return "";
  const auto expected = store::read_digest(file);
  if (!expected) return expected.error().message;
  const auto found = store::sha256_of(file);
  if (!found || *found == *expected) return "";
  return fmt::format(
      "{} is not the file that {} describes: it was changed or damaged, or the digest is of another file (SHA-256 {}, "
      "expected {})",
      file, store::digest_file_of(file), *found, *expected);
}

void warn_of_digest(const std::string& file, ProgressLine& line) {
  line.show("comparing the backup with its SHA-256");
  const std::string warning = digest_warning(file);
  line.clear();
  if (!warning.empty()) fmt::print(stderr, "finality: warning: {}. --without-digest ignores this\n", warning);
}

int restore_store(const Options& options) {
  ProgressLine line;
  if (options.without_digest) warn_of_digest(options.file, line);
  const auto done = restore({options.store, options.file, options.without_digest},
                            [&line](std::string_view step) { line.show(std::string(step)); });
  line.clear();
  if (!done) return report(done.error());
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
  backup->add_option("--to", options->file, "Backup file to create, beside its SHA-256 in FILE.sha256; must not exist")
      ->check(directory_error)
      ->required();
  backup->callback([options, &exit_code] { exit_code = back_up_store(*options); });

  CLI::App* back = add_command(app, "restore", "Create a new store from a backup");
  back->add_option("--store", options->store, std::string(kStoreUrls) + "; it must be empty")->required();
  back->add_option("--from", options->file, "File written by finality backup, beside its SHA-256 in FILE.sha256")
      ->required();
  back->add_flag("--without-digest", options->without_digest,
                 "Restore a backup that has no SHA-256; changed values of rows are not found");
  back->callback([options, &exit_code] { exit_code = restore_store(*options); });
}

}  // namespace finality::app
