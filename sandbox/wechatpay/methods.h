// Database operations for merchants' requests to the WeChat Pay gateway. Each function reads and writes only trades of
// the given merchant, must run inside a database transaction, and returns the response, also for errors.
#pragma once

#include <optional>
#include <string>

#include "base/net/http_message.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/ledger.h"
#include "sandbox/wechatpay/bill.h"
#include "sandbox/wechatpay/order.h"

namespace finality::sandbox {

struct WechatpayAnswer {
  net::HttpResponse response;
  Duration answer_after{0};
};
/// Creates the trade of an order, or returns the response for the existing trade. `public_url` is the sandbox's public
/// base URL for links.
WechatpayAnswer order_in(Ledger& ledger, const Trade& order, const std::string& public_url);
net::HttpResponse query_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& out_trade_no);
/// Finds only paid trades, because an unpaid trade has no transaction_id.
net::HttpResponse query_by_id_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& transaction_id);
net::HttpResponse close_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& out_trade_no);
net::HttpResponse refund_in(Ledger& ledger, const WechatpayMerchant& merchant, const WechatpayRefundOrder& order);
net::HttpResponse query_refund_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& out_refund_no);
/// Returns the data of the bills of the day `date`, whose interval is `span`; empty if the bills are not ready
/// (file_state()).
std::optional<WechatpayDay> day_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& date,
                                   const Day& span);

}  // namespace finality::sandbox
