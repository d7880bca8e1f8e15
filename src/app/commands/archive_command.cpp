// finality archive: orders that ended long ago leave the store for files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "base/limits.h"
#include "store/archive/archive.h"
#include "store/store.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::string store;
  std::string before;
  std::string directory;
  bool even_young = false;
  bool json = false;
};

// A day, which begins at midnight UTC, or an instant.
std::optional<Time> read_date(const std::string& text) {
  return parse_rfc3339(text.size() == 10 ? text + "T00:00:00Z" : text);
}

Result<Time> read_before(const Options& options, Time now) {
  const auto before = read_date(options.before);
  if (!before)
    return fail(fmt::format("--before {} is no date: write 2026-01-31, or 2026-01-31T12:00:00Z", options.before));
  if (*before > now) return fail(fmt::format("--before {} lies in the future", options.before));
  if (!options.even_young && *before > now - limits::kArchivedAfter)
    return fail(
        fmt::format("--before {} is less than 30 days ago: payers and channels may still come back to such "
                    "orders. Add --even-young if you mean it.",
                    options.before));
  return *before;
}

void print_json(const ArchiveReport& report) {
  json::array left;
  for (const OrderId id : report.left) left.push_back(json::string(to_text(id)));
  fmt::print("{}\n", json::serialize(json::object{{"archive", report.archive},
                                                  {"orders", report.orders},
                                                  {"removed", report.orders - report.left.size()},
                                                  {"left", left}}));
}

void print_text(const ArchiveReport& report) {
  if (report.archive.empty()) {
    fmt::print("There is nothing to archive.\n");
    return;
  }
  fmt::print("{}: {} orders are in the archive and no longer in the store.\n", report.archive,
             report.orders - report.left.size());
  if (!report.left.empty())
    fmt::print("{} more are in its file, but changed meanwhile and stay in the store; the manifest names them.\n",
               report.left.size());
}

int archive(const Options& options) {
  const Time now = SystemClock().now();
  const auto before = read_before(options, now);
  if (!before) return report(before.error());
  auto archivist = store::open_archivist(options.store);
  if (!archivist) return report(archivist.error());
  const auto done = archive_orders(**archivist, {*before, options.directory, now});
  if (!done) return report(done.error());
  if (options.json)
    print_json(*done);
  else
    print_text(*done);
  return 0;
}

}  // namespace

void add_archive(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* archive_app =
      add_command(app, "archive", "Move orders that ended long ago to files; their entries and numbers stay");
  archive_app->add_option("--store", options->store, std::string(kStoreUrls) + "; SQLite with its server stopped")
      ->required();
  archive_app
      ->add_option("--before", options->before,
                   "Orders whose last change is before this day (UTC), 30 days ago or more")
      ->required();
  archive_app->add_option("--to", options->directory, "A new or empty directory, or that of an interrupted archive")
      ->required();
  archive_app->add_flag("--even-young", options->even_young, "Also orders that changed in the last 30 days");
  archive_app->add_flag("--json", options->json, "Print JSON");
  archive_app->callback([options, &exit_code] { exit_code = archive(*options); });
}

}  // namespace finality::app
