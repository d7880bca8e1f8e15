// Command `finality unarchive`: restores archived orders to the store.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "store/archive/unarchive.h"
#include "store/store.h"

namespace finality::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kReceiptsPerPage = 100;

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

/// An unassigned unknown receipt whose out_trade_no is of a payment or capture of a restored order.
struct BookedForPlatform {
  UnknownReceiptId receipt;
  ObjectRef named;
};

// Returns the payments and captures of the orders by their out_trade_no.
Result<std::map<std::string, ObjectRef>> numbers_of(Reader& reader, const std::vector<OrderId>& orders) {
  std::map<std::string, ObjectRef> numbers;
  for (const OrderId id : orders) {
    const auto order = reader.order(id);
    if (!order) return std::unexpected(order.error());
    if (!*order) continue;  // archived again meanwhile
    for (const Payment& payment : (*order)->payments) numbers[payment.out_trade_no] = payment.id;
    for (const Capture& capture : (*order)->captures) numbers[capture.out_trade_no] = capture.id;
  }
  numbers.erase(std::string());  // of captures whose number the channel did not report
  return numbers;
}

// Finds the unassigned unknown receipts of payments and captures of the orders.
Result<std::vector<BookedForPlatform>> find_unknown_receipts(Reader& reader, const std::vector<OrderId>& orders) {
  const auto numbers = numbers_of(reader, orders);
  if (!numbers) return std::unexpected(numbers.error());
  std::vector<BookedForPlatform> found;
  Page page{.limit = kReceiptsPerPage, .after = {}, .before = {}};
  for (bool has_more = true; has_more;) {
    const auto listed = reader.unknown_receipts(UnknownReceiptState::unassigned, page);
    if (!listed) return std::unexpected(listed.error());
    for (const UnknownReceipt& receipt : listed->rows)
      if (const auto named = numbers->find(receipt.out_trade_no); named != numbers->end())
        found.push_back({receipt.id, named->second});
    has_more = listed->has_more && !listed->rows.empty();
    if (has_more) page.after = listed->rows.back().id.value;
  }
  return found;
}

Result<std::vector<BookedForPlatform>> find_unknown_receipts(const std::string& url, const UnarchiveReport& report) {
  const auto store = open_store({.url = url, .read_only = true, .migrate = false});
  if (!store) return std::unexpected(store.error());
  const auto reader = (*store)->open_reader();
  if (!reader) return std::unexpected(reader.error());
  std::vector<OrderId> orders = report.restored;
  orders.insert(orders.end(), report.present.begin(), report.present.end());
  return find_unknown_receipts(**reader, orders);
}

void print_json(const UnarchiveReport& report, const std::vector<BookedForPlatform>& booked) {
  json::array receipts;
  for (const BookedForPlatform& one : booked)
    receipts.push_back(
        json::object{{"unknown_receipt", to_text(one.receipt)}, {name_of(one.named.type), to_text(one.named)}});
  fmt::print("{}\n", json::serialize(json::object{{"archive", report.archive},
                                                  {"restored", list_of(report.restored)},
                                                  {"present", list_of(report.present)},
                                                  {"unknown_receipts", receipts}}));
}

void print_text(const UnarchiveReport& report, const std::vector<BookedForPlatform>& booked) {
  for (const OrderId id : report.restored) fmt::print("{} restored from {}.\n", to_text(id), report.archive);
  for (const OrderId id : report.present) fmt::print("{} is already in the store.\n", to_text(id));
  for (const BookedForPlatform& one : booked)
    fmt::print("{} was booked for {}. Resolve its case with `cancel` after the {} is booked.\n", to_text(one.receipt),
               to_text(one.named), name_of(one.named.type));
}

Result<UnarchiveReport> restore(const Options& options, const std::vector<OrderId>& orders,
                                const std::vector<PaymentId>& payments) {
  auto archivist = store::open_archivist(options.store);
  if (!archivist) return std::unexpected(archivist.error());
  return unarchive_orders(**archivist, {options.directory, orders, payments});
}

int unarchive(const Options& options) {
  const auto orders = read_ids<OrderId>("--order", "ord_…", options.orders);
  if (!orders) return report(orders.error());
  const auto payments = read_ids<PaymentId>("--payment", "pay_…", options.payments);
  if (!payments) return report(payments.error());
  const auto done = restore(options, *orders, *payments);
  if (!done) return report(done.error());
  const auto booked = find_unknown_receipts(options.store, *done);
  if (!booked)
    return report(
        {fmt::format("the orders are in the store, but the search for their unknown receipts failed: {}. Run "
                     "the command again.",
                     booked.error().message)});
  if (!done->weak_anchor.empty()) fmt::print(stderr, "finality: warning: {}\n", done->weak_anchor);
  if (options.json)
    print_json(*done, *booked);
  else
    print_text(*done, *booked);
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
