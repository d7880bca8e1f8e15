// URL of the shop's page to which the payer returns.
#pragma once

#include <fmt/format.h>

#include <string>

#include "model/ids.h"
#include "model/objects/order.h"

namespace finality::http {

/// Returns the order's `return_url` with the query parameters `order` and `state` added. A return_url has no fragment,
/// because POST /v1/orders refuses fragments. REQUIRES: the order has a return_url.
inline std::string shop_page_of(const Order& order) {
  const std::string& url = *order.return_url;
  return fmt::format("{}{}order={}&state={}", url, url.contains('?') ? '&' : '?', to_text(order.id),
                     name_of(order.state));
}

}  // namespace finality::http
