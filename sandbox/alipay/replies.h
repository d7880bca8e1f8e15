// Parts of the responses of Alipay's methods.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/time/time.h"
#include "sandbox/alipay/fields.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox::alipay {

struct Reply {
  boost::json::object node;  // response node; empty if the payer is redirected
  std::string wallet_no;     // trade or hold to whose page the payer is redirected; empty for methods without a page
  bool is_lost = false;      // true: the scenario loses the response, and the client gets 504
  Duration answer_after{0};
};

/// Code 40004 with this sub_code.
Reply refused(std::string_view sub_code, std::string_view sub_msg);
/// Code 20000: the client cannot know the result.
Reply unknown_result();
/// The request or its response is lost: the client gets 504.
Reply lost();
/// The response to an order whose intake was IntakeResult::lost. `is_created`: the trade or hold exists.
Reply lost_creation(bool is_created, Duration answer_after);

// Add the fields of a trade and of its payment to a response node.
void add_parties(boost::json::object& node, const Trade& trade);
void add_payment(boost::json::object& node, const Trade& trade);

// Values of query_options: each adds the fields to the response that Alipay omits without it.
inline constexpr std::string_view kFundBills = "fund_bill_list";               // the payer's sources of funds
inline constexpr std::string_view kRefundDetails = "refund_detail_item_list";  // with send_back_fee
inline constexpr std::string_view kRefundTime = "gmt_refund_pay";
inline constexpr std::string_view kDepositBack = "deposit_back_info";  // refund to a bank card

/// Query options of a request about a payment or a refund. Reads them, and blames query_options if it is no array of
/// texts.
struct QueryOptions {
  explicit QueryOptions(BizFields& fields);

  bool fund_bills;
  bool refund_details;
  bool refund_time;
  bool deposit_back;
};

// Add the fields of a payment, or of an executed refund, for which the request has asked.
void add_options(boost::json::object& node, const QueryOptions& options, const Trade& trade);
void add_options(boost::json::object& node, const QueryOptions& options, const Refund& refund);

}  // namespace finality::sandbox::alipay
