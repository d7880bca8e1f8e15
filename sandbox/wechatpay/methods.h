// What the WeChat Pay gateway does in the books for a merchant's request: with this merchant's trades alone. Inside a
// transaction of the books.
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
/// `public_url`: under which people reach the sandbox.
WechatpayAnswer order_in(Books& books, const Trade& order, const std::string& public_url);
net::HttpResponse query_in(Books& books, const WechatpayMerchant& merchant, const std::string& out_trade_no);
/// What is not paid has no number of the channel's yet.
net::HttpResponse query_by_id_in(Books& books, const WechatpayMerchant& merchant, const std::string& transaction_id);
net::HttpResponse close_in(Books& books, const WechatpayMerchant& merchant, const std::string& out_trade_no);
net::HttpResponse refund_in(Books& books, const WechatpayMerchant& merchant, const WechatpayRefundOrder& order);
net::HttpResponse query_refund_in(Books& books, const WechatpayMerchant& merchant, const std::string& out_refund_no);
/// What a day's bills are made of, as far as the day has gone.
WechatpayDay day_in(Books& books, const WechatpayMerchant& merchant, const Day& span);

}  // namespace finality::sandbox
