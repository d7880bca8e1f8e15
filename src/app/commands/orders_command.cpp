// Command `finality orders show`: prints an order with its money and its timeline.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "app/commands/command_line.h"
#include "app/commands/commands.h"
#include "app/commands/report.h"
#include "app/order_source.h"
#include "app/order_text.h"
#include "app/server_objects.h"
#include "model/ids.h"

namespace finality::app {
namespace {

namespace json = boost::json;

constexpr std::size_t kItemsMax = 100'000;  // of a timeline
constexpr std::chrono::milliseconds kPollEvery{500};

struct Options {
  std::string order;  // id or merchant_order_no
  std::string store;
  AdminServer server;
  bool follow = false;
  bool as_json = false;
};

Result<std::unique_ptr<OrderSource>> source_of(const Options& options, std::optional<MerchantId> merchant) {
  if (!options.store.empty()) return orders_of_store(options.store, merchant);
  return orders_of_server(options.server);
}

Result<json::object> find_order(OrderSource& source, const Options& options) {
  return parse_id<OrderId>(options.order) ? source.order(options.order) : source.numbered(options.order);
}

// Reads the items of an order's timeline, each once.
class Timeline {
 public:
  Timeline(OrderSource& source, std::string id) : source_(source), id_(std::move(id)) {}

  /// Calls visit(item) for each item that is new since the last call.
  Result<void> read(const std::function<void(const json::object&)>& visit) {
    for (bool has_more = true; has_more;) {
      const auto page = source_.timeline(id_, last_);
      const auto items = page ? data_of(*page) : std::unexpected(page.error());
      if (!items) return std::unexpected(items.error());
      for (const json::value& item : *items) {
        if (++count_ > kItemsMax) return fail(fmt::format("the timeline has more than {} items", kItemsMax));
        visit(item.get_object());
        last_ = text_of(item.get_object(), "id");
      }
      has_more = page->at("has_more") == json::value(true) && !items->empty();
    }
    return {};
  }

 private:
  OrderSource& source_;
  std::string id_;
  std::string last_;  // id of the last item
  std::size_t count_ = 0;
};

int print_json(const json::object& order, Timeline& timeline) {
  json::array items;
  const auto read = timeline.read([&](const json::object& item) { items.push_back(item); });
  if (!read) return report(read.error());
  fmt::print("{}\n", json::serialize(json::object{{"order", order}, {"timeline", std::move(items)}}));
  return 0;
}

int print_text(const json::object& order, Timeline& timeline) {
  TimelineText text;
  std::string lines;
  const auto read = timeline.read([&](const json::object& item) { lines += text.line_of(item); });
  if (!read) return report(read.error());
  fmt::print("{}\n{}\ntimeline\n{}", order_text(order, text.final_at()), text.money_of(order), lines);
  return 0;
}

// Prints the items as they appear. Ends with the order and its money when the order is final. The order is read before
// its items, so that all items up to its final state have been printed then.
int follow(OrderSource& source, json::object order, Timeline& timeline) {
  const std::string id = text_of(order, "id");
  TimelineText text;
  fmt::print("{}\ntimeline\n", order_text(order, std::nullopt));
  while (true) {
    const auto read = timeline.read([&](const json::object& item) { fmt::print("{}", text.line_of(item)); });
    if (!read) return report(read.error());
    std::fflush(stdout);
    if (is_final_order(order)) break;
    std::this_thread::sleep_for(kPollEvery);
    auto now = source.order(id);
    if (!now) return report(now.error());
    order = std::move(*now);
  }
  fmt::print("\n{}\n{}", order_text(order, text.final_at()), text.money_of(order));
  return 0;
}

int show(const Options& options) {
  const auto merchant = parse_id<MerchantId>(options.server.merchant);
  if (!options.server.merchant.empty() && !merchant) return report_usage({"--merchant must be a merchant id (mer_…)"});
  const auto source = source_of(options, merchant);
  if (!source) return report(source.error());
  auto order = find_order(**source, options);
  if (!order) return report(order.error());
  Timeline timeline(**source, text_of(*order, "id"));
  if (options.as_json) return print_json(*order, timeline);
  return options.follow ? follow(**source, std::move(*order), timeline) : print_text(*order, timeline);
}

}  // namespace

void add_orders(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* orders = add_command(app, "orders", "Show orders");
  orders->require_subcommand(1);
  CLI::App* command = add_command(*orders, "show", "Print an order with its money and its timeline");
  command->add_option("order", options->order, "Id of the order (ord_…), or its merchant_order_no")->required();
  CLI::Option* store =
      command->add_option("--store", options->store, std::string(kStoreUrls) + "; a running server may use it");
  store->excludes(add_server_options(*command, options->server, "a merchant's or an operator"));
  command->add_option("--merchant", options->server.merchant,
                      "Id of the order's merchant (mer_…); required with an operator key, and with --store to find a "
                      "merchant_order_no");
  CLI::Option* follow_option = command->add_flag(
      "--follow", options->follow, "Print new items of the timeline as they appear, until the order is final");
  command->add_flag("--json", options->as_json, "Print the order and its timeline as JSON, also errors of the server")
      ->excludes(follow_option);
  command->callback([options, &exit_code] {
    if (options->store.empty() && options->server.url.empty()) throw CLI::RequiredError("--store or --server");
    options->server.json_errors = options->as_json;
    exit_code = show(*options);
  });
}

}  // namespace finality::app
