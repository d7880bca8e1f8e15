// Notifies the merchant: creates deliveries in the same commit as the change that they report.
#pragma once

#include <string>
#include <vector>

#include "decide/order/order_writer.h"

namespace finality {

/// Creates one delivery per enabled endpoint of the merchant that subscribes to `type`, and one for the order's
/// notify_url. The first attempt of each delivery is claimed in the same commit. The body contains `object`. REQUIRES:
/// the merchant was loaded.
void notify_merchant(OrderWriter& writer, std::string type, NotifiedObject object);

/// Creates one delivery per enabled endpoint that subscribes to `type`, except the endpoint of `delivery`. Used to
/// report `case.opened` when `delivery` has failed.
void notify_other_endpoints(Context& context, const Delivery& delivery, std::string type, NotifiedObject object);

/// Notifies the merchant of the state that the order has just reached: `order.authorized`, `order.succeeded`,
/// `order.failed` or `order.closed`.
void notify_order_state(OrderWriter& writer);

/// Notifies the merchant of the authorization (`type`). The body contains it with its captures.
void notify_authorization(OrderWriter& writer, std::string type, const Authorization& authorization);

/// Returns the endpoint of the delivery; null for a delivery to notify_url, or when the endpoint was deleted.
const WebhookEndpoint* endpoint_of(const Context& context, const Delivery& delivery);

/// Returns the secrets that sign the delivery: the current secret, and during a rotation also the previous secret.
std::vector<Secret> secrets_of(const Context& context, const Delivery& delivery);

}  // namespace finality
