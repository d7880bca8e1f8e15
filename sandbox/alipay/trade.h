// Conversion of trades to Alipay's fields. Pure.
#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <string_view>

#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// WAIT_BUYER_PAY, TRADE_SUCCESS, or TRADE_CLOSED: expired, closed, declined or fully refunded.
std::string_view status_of(const Trade& trade);

/// The amount due, or the paid amount: `12.34`.
std::string total_of(const Trade& trade);

std::string buyer_id(const Trade& trade);        // 2088…
std::string buyer_logon_id(const Trade& trade);  // ada***@sandbox.example

/// The payer's sources of funds, as in `fund_bill_list`.
boost::json::array fund_bills(const Trade& trade);

/// Fields of an order that Alipay returns unchanged. Either may be empty.
struct Details {
  std::string body;
  std::string passback_params;
};
std::string to_text(const Details& details);
Details details_of(const Trade& trade);

// The refund's key in the database. Alipay's refund numbers (out_request_no) are unique only within a trade, so the key
// combines trade_no and out_request_no.
std::string books_number(std::string_view trade_no, std::string_view out_request_no);
/// The out_request_no in a refund's key; the channel's refund_no for a refund without out_request_no.
std::string out_request_no(const Refund& refund);

}  // namespace finality::sandbox::alipay
