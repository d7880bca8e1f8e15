// Telling the merchant: deliveries made in the same commit as the change they tell of.
#pragma once

#include <string>
#include <vector>

#include "decide/order/order_writer.h"

namespace finality {

/// One delivery per endpoint of the merchant that wants `type`, and one for the order's notify_url. Each is claimed by
/// being made: the worker tries it at once. Their body shows `object` as it is now. REQUIRES: the merchant was loaded.
void notify_merchant(OrderWriter& writer, std::string type, NotifiedObject object);

/// The same for a delivery that nobody takes: the merchant's other endpoints are told (`case.opened`).
void notify_other_endpoints(Context& context, const Delivery& delivery, std::string type, NotifiedObject object);

/// `order.succeeded` and its kin.
void notify_order_ended(OrderWriter& writer);

/// The endpoint that the delivery goes to; null when it goes to the order's notify_url.
const WebhookEndpoint* endpoint_of(const Context& context, const Delivery& delivery);

/// The secrets that sign a delivery: the current one, and during a rotation the one before.
std::vector<Secret> secrets_of(const Context& context, const Delivery& delivery);

}  // namespace finality
