// Conversion of trades to Alipay's fields. Pure.
#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <string_view>

#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// Returns trade_status: WAIT_BUYER_PAY, TRADE_SUCCESS, or TRADE_CLOSED (expired, closed, declined or fully refunded).
std::string_view status_of(const Trade& trade);

/// Returns the amount in yuan, for example `12.34`: the paid amount or, before the payment, the amount of the order.
std::string total_of(const Trade& trade);

// `payer`: name of a payer (Trade::payer, Hold::payer).
std::string buyer_id(std::string_view payer);        // 2088 and 12 digits
std::string buyer_logon_id(std::string_view payer);  // masked, for example ada***@sandbox.example

/// Returns the payer's sources of funds with the amount that was paid from, or refunded to, each.
boost::json::array fund_bills(MinorUnits amount);

/// Fields of an order that Alipay returns unchanged in notifications. Each may be empty.
struct Details {
  std::string body;
  std::string passback_params;
};
std::string to_text(const Details& details);
Details details_of(const Trade& trade);

/// Returns Refund::out_refund_no, the refund's key in the database. Alipay's out_request_no is unique only within a
/// trade, so the key combines trade_no and out_request_no.
std::string ledger_number(std::string_view trade_no, std::string_view out_request_no);
/// Returns the out_request_no in the refund's key; for a refund that the channel initiated, returns the whole key.
std::string out_request_no(const Refund& refund);

}  // namespace finality::sandbox::alipay
