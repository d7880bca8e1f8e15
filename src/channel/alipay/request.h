// Builds requests to Alipay's gateway. As in the official SDKs, parameters common to all calls are in the query and
// biz_content is in the body; a request carried by the payer's browser or app is one line. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/signature.h"

namespace finality::alipay {

/// Methods of the gateway, as values of the parameter `method`.
inline constexpr std::string_view kPrecreate = "alipay.trade.precreate";
inline constexpr std::string_view kPay = "alipay.trade.pay";
inline constexpr std::string_view kQuery = "alipay.trade.query";
inline constexpr std::string_view kClose = "alipay.trade.close";
inline constexpr std::string_view kCancel = "alipay.trade.cancel";
inline constexpr std::string_view kRefund = "alipay.trade.refund";
inline constexpr std::string_view kRefundQuery = "alipay.trade.fastpay.refund.query";
inline constexpr std::string_view kStatement = "alipay.data.dataservice.bill.downloadurl.query";

/// How the payer reaches the trade: the adapter sends a request, the browser follows a redirect, or the payer's app
/// receives an order string.
enum class Handover : std::uint8_t { request, redirect, order_string };

/// A payment method of Finality and the gateway method behind it.
struct Method {
  std::string_view name;     // in Finality's API
  std::string_view call;     // the gateway method
  std::string_view product;  // product_code
  Handover handover;         // request: the adapter sends a request
  bool is_made_by_payer;     // the trade is created only when the payer opens it
};
/// The method with this name in Finality's API; null when there is none.
const Method* find_method(std::string_view name);
Capabilities capabilities_of(const AlipayOptions& options);

/// The gateway's method for a call. A close is `kClose`, which affects only a waiting trade and is rejected after
/// payment, so no money moves outside the ledger. `kCancel` would refund a paid trade. It is used only for a barcode
/// payment whose trade_no is unknown, which cannot be closed.
/// REQUIRES: find_method finds the payment's method.
std::string_view call_of(const ChannelCall& call);
std::string_view call_of(const RefundCall& call);

/// Content of a call.
struct Content {
  std::string_view method;   // the gateway method
  boost::json::object biz;   // biz_content
  std::string return_url;    // where the payer returns after paying
  bool is_notified = false;  // the request contains notify_url
};

/// The content of the request for a call. REQUIRES: find_method finds the payment's method.
Content content_of(const AlipayOptions& options, const ChannelCall& call);
Content content_of(const RefundCall& call);
Content content_of(const BillCall& call);

/// Why the call can never be sent, as a message for operators; empty when it can.
std::optional<std::string> obstacle_to(const ChannelCall& call);

/// All parameters of a call, including `sign`.
Parameters signed_parameters(const AlipayOptions& options, const AlipayKeys& keys, const Content& content, Time now);

/// The request for the adapter to send. REQUIRES: the gateway is a URL.
UpstreamRequest to_request(const AlipayOptions& options, const Parameters& parameters);
/// The parameters as one line for the payer's browser or app: percent-encoded `k=v` joined by &. The gateway's URL, '?'
/// and this line form the URL of a page.
std::string to_line(const Parameters& parameters);

}  // namespace finality::alipay
