// The shop's own page, where its payer goes in the end.
#pragma once

#include <fmt/format.h>

#include <string>

#include "model/ids.h"
#include "model/objects/order.h"

namespace finality::http {

/// The order's `return_url` with `order` and `state` added to its query. It has no fragment: create_order refuses
/// those. REQUIRES: the order has one.
inline std::string shop_page_of(const Order& order) {
  const std::string& url = *order.return_url;
  return fmt::format("{}{}order={}&state={}", url, url.contains('?') ? '&' : '?', to_text(order.id),
                     name_of(order.state));
}

}  // namespace finality::http
