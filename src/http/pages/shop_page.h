// URL of the shop's page to which the payer returns.
#pragma once

#include <fmt/format.h>

#include <string>

#include "model/ids.h"
#include "model/objects/order.h"

namespace finality::http {

/// The order's `return_url` with `order` and `state` added to its query. It never has a fragment: create_order refuses
/// fragments. REQUIRES: the order has a return_url.
inline std::string shop_page_of(const Order& order) {
  const std::string& url = *order.return_url;
  return fmt::format("{}{}order={}&state={}", url, url.contains('?') ? '&' : '?', to_text(order.id),
                     name_of(order.state));
}

}  // namespace finality::http
