// Command `finality archive`: moves orders that ended long ago from the store to files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "app/clock_file.h"
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
  std::int64_t refund_window_days = limits::kRefundWindowDays;
  std::string clock_file;  // empty: that of a demo, or the system clock
  bool even_young = false;
  bool json = false;
};

// Parses a date (midnight UTC) or an RFC 3339 timestamp. Empty if the text is invalid.
std::optional<Time> read_date(const std::string& text) {
  return parse_rfc3339(text.size() == 10 ? text + "T00:00:00Z" : text);
}

Result<Time> read_before(const Options& options, Time now) {
  const auto before = read_date(options.before);
  if (!before)
    return fail(
        fmt::format("invalid --before '{}': use a date (2026-01-31) or a time (2026-01-31T12:00:00Z)", options.before));
  if (*before > now)
    return fail(fmt::format("--before {} is in the future: use a date at least 30 days ago", options.before));
  if (!options.even_young && *before > now - limits::kArchivedAfter)
    return fail(
        fmt::format("--before {} is less than 30 days ago: payers and channels can still return to these "
                    "orders. Add --even-young to archive them anyway.",
                    options.before));
  return *before;
}

void print_json(const ArchiveReport& report) {
  json::array left;
  for (const OrderId id : report.left) left.push_back(json::string(to_text(id)));
  fmt::print("{}\n", json::serialize(json::object{{"archive", report.archive},
                                                  {"orders", report.orders},
                                                  {"removed", report.orders - report.left.size()},
                                                  {"waiting", report.waiting},
                                                  {"refundable", report.refundable},
                                                  {"left", left}}));
}

void print_text(const ArchiveReport& report) {
  if (report.waiting > 0)
    fmt::print(
        "Finished orders that remain in the store because their payments or refunds wait for statements: {}. Run: "
        "finality reconcile\n",
        report.waiting);
  if (report.refundable > 0)
    fmt::print("Finished orders that remain in the store because their refund window is not over: {}.\n",
               report.refundable);
  if (report.archive.empty()) {
    fmt::print("No orders to archive.\n");
    return;
  }
  fmt::print("{}: moved {} orders from the store to the archive.\n", report.archive,
             report.orders - report.left.size());
  if (!report.left.empty())
    fmt::print("{} more orders changed during the run and remain in the store. The manifest lists them.\n",
               report.left.size());
}

int archive(const Options& options) {
  const auto clock = open_clock(clock_file_for(options.clock_file, options.store));
  if (!clock) return report(clock.error());
  const Time now = (*clock)->now();
  const auto before = read_before(options, now);
  if (!before) return report(before.error());
  auto archivist = store::open_archivist(options.store);
  if (!archivist) return report(archivist.error());
  const Duration window = std::chrono::days(options.even_young ? 0 : options.refund_window_days);
  const auto done = archive_orders(
      **archivist, {.before = *before, .directory = options.directory, .now = now, .refund_window = window});
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
  CLI::App* archive_app = add_command(
      app, "archive", "Move old finished orders to files; ledger entries and order numbers stay in the store");
  archive_app
      ->add_option("--store", options->store, std::string(kStoreUrls) + "; stop the server first if it uses SQLite")
      ->required();
  archive_app
      ->add_option("--before", options->before,
                   "Archive orders last changed before this date (UTC), which is at least 30 days ago")
      ->required();
  archive_app
      ->add_option("--to", options->directory, "New or empty directory, or the directory of an interrupted archive")
      ->required();
  archive_app
      ->add_option("--refund-window", options->refund_window_days,
                   "Days after a payment in which the channels can refund or dispute it; such orders stay")
      ->check(CLI::Range(std::int64_t{0}, limits::kRefundWindowDaysMax))
      ->capture_default_str();
  archive_app->add_flag("--even-young", options->even_young,
                        "Allow --before dates in the last 30 days, and ignore the refund window");
  add_clock_option(*archive_app, options->clock_file);
  archive_app->add_flag("--json", options->json, "Print JSON");
  archive_app->callback([options, &exit_code] { exit_code = archive(*options); });
}

}  // namespace finality::app
