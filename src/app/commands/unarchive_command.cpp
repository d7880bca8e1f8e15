// Command `finality unarchive`: restores archived orders to the store.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <memory>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "store/archive/unarchive.h"
#include "store/store.h"

namespace finality::app {
namespace {

namespace json = boost::json;

struct Options {
  std::string store;
  std::string directory;
  std::vector<std::string> orders;
  std::vector<std::string> payments;
  bool json = false;
};

template <class AnId>
Result<std::vector<AnId>> read_ids(const char* option, const char* form, const std::vector<std::string>& texts) {
  std::vector<AnId> ids;
  for (const std::string& text : texts) {
    const auto id = parse_id<AnId>(text);
    if (!id) return fail(fmt::format("{} {} is not an id: expected {}", option, text, form));
    ids.push_back(*id);
  }
  return ids;
}

json::array list_of(const std::vector<OrderId>& orders) {
  json::array list;
  for (const OrderId id : orders) list.push_back(json::string(to_text(id)));
  return list;
}

void print_json(const UnarchiveReport& report) {
  fmt::print("{}\n", json::serialize(json::object{{"archive", report.archive},
                                                  {"restored", list_of(report.restored)},
                                                  {"present", list_of(report.present)}}));
}

void print_text(const UnarchiveReport& report) {
  for (const OrderId id : report.restored) fmt::print("{} restored from {}.\n", to_text(id), report.archive);
  for (const OrderId id : report.present) fmt::print("{} is already in the store.\n", to_text(id));
}

int unarchive(const Options& options) {
  const auto orders = read_ids<OrderId>("--order", "ord_…", options.orders);
  if (!orders) return report(orders.error());
  const auto payments = read_ids<PaymentId>("--payment", "pay_…", options.payments);
  if (!payments) return report(payments.error());
  auto archivist = store::open_archivist(options.store);
  if (!archivist) return report(archivist.error());
  const auto done = unarchive_orders(**archivist, {options.directory, *orders, *payments});
  if (!done) return report(done.error());
  if (options.json)
    print_json(*done);
  else
    print_text(*done);
  return 0;
}

}  // namespace

void add_unarchive(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(app, "unarchive", "Restore archived orders from an archive directory");
  command->add_option("--store", options->store, std::string(kStoreUrls) + "; stop the server first if it uses SQLite")
      ->required();
  command->add_option("--from", options->directory, "Archive directory")->required();
  command->add_option("--order", options->orders, "Order to restore (ord_…); repeatable");
  command->add_option("--payment", options->payments, "Payment whose order to restore (pay_…); repeatable");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &exit_code] {
    if (options->orders.empty() && options->payments.empty()) throw CLI::RequiredError("--order or --payment");
    exit_code = unarchive(*options);
  });
}

}  // namespace finality::app
