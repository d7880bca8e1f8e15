// A trade of the books in Alipay's words. Pure.
#pragma once

#include <boost/json/array.hpp>

#include <string>
#include <string_view>

#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

/// WAIT_BUYER_PAY, TRADE_SUCCESS; TRADE_CLOSED: nobody paid in time, or the payer would not, or all of it went back.
std::string_view status_of(const Trade& trade);

/// What the payer owes, or has paid: `12.34`.
std::string total_of(const Trade& trade);

std::string buyer_id(const Trade& trade);        // 2088…
std::string buyer_logon_id(const Trade& trade);  // ada***@sandbox.example

/// Where the payer took the money from.
boost::json::array fund_bills(const Trade& trade);

/// What Alipay only hands back; either may be empty.
struct Details {
  std::string body;
  std::string passback_params;
};
std::string to_text(const Details& details);
Details details_of(const Trade& trade);

// A refund's number is unique only within its trade here, so the books know it by both.
std::string books_number(std::string_view trade_no, std::string_view out_request_no);
std::string out_request_no(const Refund& refund);

}  // namespace finality::sandbox::alipay
