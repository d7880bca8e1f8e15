#include "app/order_source.h"

#include <fmt/format.h>

#include <utility>

#include "app/server_objects.h"
#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "base/printable.h"
#include "query/lists.h"

namespace finality::app {
namespace {

namespace json = boost::json;

// Returns the only object of a list of orders.
Result<json::object> only_order(Result<json::object> list, const std::string& merchant_order_no) {
  const auto orders = list ? data_of(*list) : std::unexpected(list.error());
  if (!orders) return std::unexpected(orders.error());
  if (orders->empty())
    return fail(fmt::format("no order has the id or the merchant_order_no '{}'", printable(merchant_order_no)));
  return orders->front().get_object();
}

class ServerOrders final : public OrderSource {
 public:
  explicit ServerOrders(AdminServer server) : server_(std::move(server)) {}

  Result<json::object> order(const std::string& id) override {
    return object_in(get_as_admin(server_, "/v1/orders/" + percent_encode(id)));
  }
  Result<json::object> numbered(const std::string& merchant_order_no) override {
    return only_order(
        object_in(get_as_admin(server_, url_of("/v1/orders", {{"merchant_order_no", merchant_order_no}}))),
        merchant_order_no);
  }
  Result<json::object> timeline(const std::string& id, const std::string& after) override {
    return object_in(get_as_admin(
        server_, url_of("/v1/orders/" + percent_encode(id) + "/timeline",
                        {{"limit", std::to_string(limits::kTimelineLimitMax)}, {"starting_after", after}})));
  }

 private:
  AdminServer server_;
};

class StoreOrders final : public OrderSource {
 public:
  StoreOrders(std::unique_ptr<Store> store, std::unique_ptr<Reader> reader, std::optional<MerchantId> merchant)
      : store_(std::move(store)), reader_(std::move(reader)), merchant_(merchant) {}

  Result<json::object> order(const std::string& id) override {
    const OrderId order = parse_id<OrderId>(id).value_or(OrderId{});
    const auto merchant = owner_of(order);
    if (!merchant) return std::unexpected(merchant.error());
    return parsed(query::show_order(*reader_, policy_, *merchant, order));
  }
  Result<json::object> numbered(const std::string& merchant_order_no) override {
    if (!merchant_)
      return fail(fmt::format("'{}' is not an order's id (ord_…): to find it as a merchant_order_no, give --merchant",
                              printable(merchant_order_no)));
    return only_order(parsed(query::list_orders(*reader_, policy_, *merchant_, {.merchant_order_no = merchant_order_no},
                                                Page{.limit = 1})),
                      merchant_order_no);
  }
  Result<json::object> timeline(const std::string& id, const std::string& after) override {
    const OrderId order = parse_id<OrderId>(id).value_or(OrderId{});
    const auto merchant = owner_of(order);
    if (!merchant) return std::unexpected(merchant.error());
    return parsed(
        query::list_timeline(*reader_, *merchant, order,
                             {.audience = wire::Audience::operators, .after = query::parse_timeline_place(after)}));
  }

 private:
  static Result<json::object> parsed(query::Shown shown) {
    if (!shown) return fail(shown.error().detail);
    return object_in(std::move(*shown));
  }
  // The merchant of the order, also of an archived one.
  Result<MerchantId> owner_of(OrderId id) {
    if (merchant_) return *merchant_;
    const auto owner = reader_->merchant_of(id);
    if (!owner) return std::unexpected(owner.error());
    if (*owner) return **owner;
    const auto archived = reader_->archived_order(id);
    if (!archived) return std::unexpected(archived.error());
    return *archived ? (*archived)->merchant_id : MerchantId{};
  }

  Policy policy_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  std::optional<MerchantId> merchant_;
};

}  // namespace

std::unique_ptr<OrderSource> orders_of_server(const AdminServer& server) {
  return std::make_unique<ServerOrders>(server);
}

Result<std::unique_ptr<OrderSource>> orders_of_store(const std::string& url, std::optional<MerchantId> merchant) {
  auto store = open_store({.url = url, .read_only = true, .migrate = false});
  if (!store) return std::unexpected(store.error());
  auto reader = (*store)->open_reader();
  if (!reader) return std::unexpected(reader.error());
  return std::make_unique<StoreOrders>(std::move(*store), std::move(*reader), merchant);
}

}  // namespace finality::app
