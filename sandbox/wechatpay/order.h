// What merchants ask the WeChat Pay gateway for, read from JSON bodies and checked as the real one does. Pure.
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

/// What the gateway keeps about a trade beside what all trades have. Written into Trade::details.
struct WechatpayDetails {
  std::string attach;       // the merchant's own text, told again with the trade
  std::string openid;       // the payer's, where the merchant named him
  std::string fingerprint;  // of all that must be the same when the same number is ordered again
  std::string signer;       // the Wechatpay-Serial that callbacks are to be signed by, as in the order's request
  bool is_probed = false;   // the first delivery of each callback has a signature that no key has made
};
std::string write_details(const WechatpayDetails& details);
/// REQUIRES: text of write_details.
WechatpayDetails read_details(const std::string& text);

/// An order of the merchant by `product`: native, jsapi, app or h5. Trades live for seven days unless the merchant says
/// less. `attach` may name the scenario: `scenario=NAME`, and `,probed` after it. A refusal is the answer to give.
std::expected<Trade, net::HttpResponse> read_order(const WechatpayMerchant& merchant, std::string_view product,
                                                   std::string_view body, std::string_view signer, Time now);

/// `mchid` of a body that has nothing else. A refusal is the answer to give.
std::optional<net::HttpResponse> refusal_of_close(const WechatpayMerchant& merchant, std::string_view body);

/// Of an `mchid` that is not the one of the merchant who signed the request; the answer to give.
std::optional<net::HttpResponse> refusal_of_mchid(const WechatpayMerchant& merchant, std::string_view mchid);

struct WechatpayRefundOrder {
  std::string transaction_id;  // of the trade: one of the two
  std::string out_trade_no;
  std::string out_refund_no;
  std::string notify_url;  // may be empty
  std::string currency;
  MinorUnits amount = 0;
  MinorUnits total = 0;  // what the whole trade is said to be
};
std::expected<WechatpayRefundOrder, net::HttpResponse> read_refund_order(std::string_view body);

/// 6-32 of letters, digits and _-|*
bool is_out_trade_no(std::string_view text);

}  // namespace finality::sandbox
