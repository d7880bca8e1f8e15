// Builds requests to Alipay's gateway. As in the official SDKs, a request of the adapter has biz_content in the body
// and all other parameters in the query. A request that the payer's browser or app sends has all parameters in one
// line. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/signature.h"

namespace finality::alipay {

/// Name of the kind in [channels.NAME] and in the table of texts.
inline constexpr std::string_view kKind = "alipay";

/// Gateway methods: the values of the parameter `method` in a request.
inline constexpr std::string_view kPrecreate = "alipay.trade.precreate";
inline constexpr std::string_view kPay = "alipay.trade.pay";
inline constexpr std::string_view kQuery = "alipay.trade.query";
inline constexpr std::string_view kClose = "alipay.trade.close";
inline constexpr std::string_view kCancel = "alipay.trade.cancel";
inline constexpr std::string_view kRefund = "alipay.trade.refund";
inline constexpr std::string_view kRefundQuery = "alipay.trade.fastpay.refund.query";
inline constexpr std::string_view kStatement = "alipay.data.dataservice.bill.downloadurl.query";

/// How Alipay receives the request for a trade: from the adapter, from the payer's browser after a redirect, or from
/// the payer's app in an order string.
enum class Handover : std::uint8_t { request, redirect, order_string };

/// A payment method of Finality's API and the gateway method that implements it.
struct Method {
  std::string_view name;     // the method in Finality's API
  std::string_view call;     // the gateway method
  std::string_view product;  // value of product_code
  Handover handover;
  bool is_made_by_payer;  // Alipay creates the trade or authorization only when the payer opens the page, the app or
                          // the QR code
};
/// Returns the method with this name in Finality's API; null if the name is unknown.
const Method* find_method(std::string_view name);
Capabilities capabilities_of(const AlipayOptions& options);

/// Returns the gateway method of a call. A close uses `kClose`: Alipay rejects it after payment, so no money moves
/// outside the ledger. A barcode payment whose trade_no is unknown cannot be closed, so it uses `kCancel`, which would
/// refund a paid trade.
/// REQUIRES: find_method finds the payment's method.
std::string_view call_of(const ChannelCall& call);
std::string_view call_of(const RefundCall& call);

/// The parameters of a request that depend on the call.
struct Content {
  std::string_view method;   // the gateway method
  boost::json::object biz;   // value of biz_content
  std::string return_url;    // URL to which Alipay redirects the payer after payment; empty: none
  bool is_notified = false;  // whether the request contains notify_url
};

/// Returns the content of the request for a call, before its texts are made to fit. REQUIRES: find_method finds the
/// payment's method.
Content content_of(const AlipayOptions& options, const ChannelCall& call);
Content content_of(const RefundCall& call);
Content content_of(const StatementCall& call);

/// Returns the reason why Alipay can never accept this call (method, currency, amount or payment code), as a message
/// for operators. Empty if the call may be sent.
std::optional<std::string> obstacle_to(const ChannelCall& call);
/// Same, for an amount and the payer's fields (JSON) of a method that Alipay has.
std::optional<std::string> obstacle_to(std::string_view method, MinorUnits amount, Currency currency,
                                       const std::string& payer);

/// Returns the URL to which Alipay sends notifications. REQUIRES: public_url has no trailing slash.
std::string notify_url_of(const AlipayOptions& options);
/// Returns the text field `name` of `payer`, a JSON object; empty if it is missing.
std::string payer_field(const std::string& payer, std::string_view name);

/// Returns all parameters of the request for `content`, including `timestamp` (= `now`) and `sign`. Makes all texts fit
/// (channel/text_limits.h).
Parameters signed_parameters(const AlipayOptions& options, const AlipayKeys& keys, const Content& content, Time now);

/// Builds the HTTP request that the adapter sends. REQUIRES: `options.gateway` is an http or https URL.
UpstreamRequest to_request(const AlipayOptions& options, const Parameters& parameters);
/// Joins the parameters into one line, percent-encoded NAME=VALUE pairs separated by &. The line is the order string of
/// an app; GATEWAY?LINE is the URL of a payment page.
std::string to_line(const Parameters& parameters);

}  // namespace finality::alipay
