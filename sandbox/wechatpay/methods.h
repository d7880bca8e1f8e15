// Database operations of the WeChat Pay gateway for a merchant's request, limited to that merchant's trades. Run inside
// a database transaction.
#pragma once

#include <string>

#include "base/net/http_message.h"
#include "sandbox/core/books.h"
#include "sandbox/core/china_time.h"
#include "sandbox/wechatpay/bill.h"
#include "sandbox/wechatpay/order.h"

namespace finality::sandbox {

struct WechatpayAnswer {
  net::HttpResponse response;
  Duration answer_after{0};
};
/// Creates the trade of an order, or finds the existing one. `public_url` is the public base URL of the sandbox.
WechatpayAnswer order_in(Books& books, const Trade& order, const std::string& public_url);
net::HttpResponse query_in(Books& books, const WechatpayMerchant& merchant, const std::string& out_trade_no);
/// Finds paid trades only: an unpaid trade has no transaction_id yet.
net::HttpResponse query_by_id_in(Books& books, const WechatpayMerchant& merchant, const std::string& transaction_id);
net::HttpResponse close_in(Books& books, const WechatpayMerchant& merchant, const std::string& out_trade_no);
net::HttpResponse refund_in(Books& books, const WechatpayMerchant& merchant, const WechatpayRefundOrder& order);
net::HttpResponse query_refund_in(Books& books, const WechatpayMerchant& merchant, const std::string& out_refund_no);
/// The merchant's movements of money in `span`, up to now: the data of that day's bills.
WechatpayDay day_in(Books& books, const WechatpayMerchant& merchant, const Day& span);

}  // namespace finality::sandbox
