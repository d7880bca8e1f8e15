// Where `finality orders` reads an order and its timeline: a running server or a store.
#pragma once

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>

#include "app/admin_client.h"
#include "base/result.h"
#include "model/ids.h"

namespace finality::app {

/// Returns the JSON objects of the API. All functions block.
class OrderSource {
 public:
  virtual ~OrderSource() = default;

  /// The order with that id (`ord_…`).
  virtual Result<boost::json::object> order(const std::string& id) = 0;
  /// The order with that merchant_order_no.
  virtual Result<boost::json::object> numbered(const std::string& merchant_order_no) = 0;
  /// The first page of the order's timeline, after the item with the id `after`; empty: from the start.
  virtual Result<boost::json::object> timeline(const std::string& id, const std::string& after) = 0;
};

/// Reads over the API of a running server.
std::unique_ptr<OrderSource> orders_of_server(const AdminServer& server);

/// Reads the store at `url`, which a running server may be using. `merchant` is the order's merchant; empty: orders are
/// found by id only.
Result<std::unique_ptr<OrderSource>> orders_of_store(const std::string& url, std::optional<MerchantId> merchant);

}  // namespace finality::app
