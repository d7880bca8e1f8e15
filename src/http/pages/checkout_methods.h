// The payment methods that a checkout page offers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/net/http_message.h"
#include "model/aggregate.h"
#include "model/policy.h"
#include "query/route_payment.h"

namespace finality::http {

enum class Device : std::uint8_t { computer, phone };

/// Returns the kind of device that the browser's request headers name; `computer` if they name none.
Device device_of(const net::Headers& headers);

/// A channel and a method with which the payer can pay the order.
struct OfferedMethod {
  std::string channel;
  std::string method;
  PageMethod kind = PageMethod::any;
  PayerApp app = PayerApp::any;
  bool needs_client_ip = false;  // the payment needs the address of the payer's device

  friend bool operator==(const OfferedMethod&, const OfferedMethod&) = default;
};

/// Returns the methods, on any device, that the page can start for the order: those of the order's `methods` in their
/// order, or those of all channels that the merchant can use. The channels accept the order's currency, amount and
/// capture method. Of methods that look alike to the payer, only one is returned, preferably one that is available.
/// Returns unavailable methods only if all are unavailable.
std::vector<OfferedMethod> payable_methods(const Order& order, const Policy& policy, const query::IsDown& is_down);

/// Returns the methods that work best on the device; all if none does.
std::vector<OfferedMethod> methods_for(Device device, const std::vector<OfferedMethod>& methods);

}  // namespace finality::http
