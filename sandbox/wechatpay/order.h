// Reads and validates merchants' JSON requests to the WeChat Pay gateway, like the real gateway. Pure.
#pragma once

#include <boost/json/value.hpp>

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "base/time/time.h"
#include "sandbox/core/trade.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// The gateway's private data of a trade, stored in Trade::details.
struct WechatpayDetails {
  std::string attach;       // text of the merchant, returned in queries and callbacks
  std::string openid;       // the payer's openid, if the order contains it
  std::string fingerprint;  // digest of all fields that must be equal in a repeated order with the same out_trade_no
  std::string signer;       // Wechatpay-Serial of the order's request: the key that signs the callbacks
  bool is_probed = false;   // true: the first attempt of each callback has an invalid signature
};
std::string write_details(const WechatpayDetails& details);
/// REQUIRES: write_details() has returned `text`.
WechatpayDetails read_details(const std::string& text);

/// Reads an order. `product` is native, jsapi, app or h5; `signer` is the request's Wechatpay-Serial. The trade expires
/// after seven days unless the order sets an earlier time. `attach` may contain the scenario: `scenario=NAME`,
/// optionally followed by `,probed`. The error is the response to send.
std::expected<Trade, net::HttpResponse> read_order(const WechatpayMerchant& merchant, std::string_view product,
                                                   std::string_view body, std::string_view signer, Time now);

/// Checks the body of a close request, which contains only `mchid`. Returns the refusal to send; empty when the body is
/// valid.
std::optional<net::HttpResponse> refusal_of_close(const WechatpayMerchant& merchant, std::string_view body);

/// Returns the refusal to send if `mchid` is not the mchid of `merchant`, who signed the request; empty otherwise.
std::optional<net::HttpResponse> refusal_of_mchid(const WechatpayMerchant& merchant, std::string_view mchid);

struct WechatpayRefundOrder {
  std::string transaction_id;  // transaction_id or out_trade_no identifies the trade; exactly one is not empty
  std::string out_trade_no;
  std::string out_refund_no;
  std::string notify_url;  // empty: no callbacks about the refund
  std::string currency;
  MinorUnits amount = 0;
  MinorUnits total = 0;  // amount of the trade as sent by the merchant; must equal the paid amount
};
/// Reads a refund request. The error is the response to send.
std::expected<WechatpayRefundOrder, net::HttpResponse> read_refund_order(std::string_view body);

}  // namespace finality::sandbox
