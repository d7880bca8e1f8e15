// Responses of the simple channels to the merchant's requests, as jobs of the ledger thread produce them.
#pragma once

#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <string_view>

#include "sandbox/core/gateway.h"
#include "sandbox/core/order_intake.h"

namespace finality::sandbox {

struct DelayedResponse {
  net::HttpResponse response;
  Duration after{0};
};

/// Runs `work` on the ledger thread and sends its response after the delay; 503 on an error.
void respond_later(const GatewayParts& parts, std::function<DelayedResponse(Ledger&)> work, net::Respond respond);
/// Runs `work` on the ledger thread and sends its response; 503 on an error.
void respond_with(const GatewayParts& parts, std::function<net::HttpResponse(Ledger&)> work, net::Respond respond);

/// 200 with the trade: a payment or a capture.
net::HttpResponse trade_answer(const Trade& trade);
/// The response to an order that was not taken. `number`: name of the field with the merchant's number. REQUIRES:
/// `result` is not `taken`.
net::HttpResponse not_taken_answer(IntakeResult result, std::string_view number);
/// The payer's next action for the trade or hold with this number: open its page.
boost::json::object payer_action(std::string_view public_url, std::string_view number);

}  // namespace finality::sandbox
