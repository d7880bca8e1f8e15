// Requests to Alipay's gateway: what each call says, and how it travels. As the official SDKs do it, the parameters
// that are common to all calls stand in the query, and biz_content in the body; what a payer's browser or app carries
// stands in one line. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/signature.h"

namespace finality::alipay {

/// The gateway's own methods.
inline constexpr std::string_view kPrecreate = "alipay.trade.precreate";
inline constexpr std::string_view kPay = "alipay.trade.pay";
inline constexpr std::string_view kQuery = "alipay.trade.query";
inline constexpr std::string_view kClose = "alipay.trade.close";
inline constexpr std::string_view kCancel = "alipay.trade.cancel";
inline constexpr std::string_view kRefund = "alipay.trade.refund";
inline constexpr std::string_view kRefundQuery = "alipay.trade.fastpay.refund.query";
inline constexpr std::string_view kStatement = "alipay.data.dataservice.bill.downloadurl.query";

/// How the payer comes to a trade.
enum class Handover : std::uint8_t { asked, redirect, order_string };

/// One of our payment methods.
struct Method {
  std::string_view name;     // in our API
  std::string_view call;     // the gateway's method
  std::string_view product;  // product_code
  Handover handover;         // asked: we send it
  bool is_made_by_payer;     // the trade comes into being only when the payer opens it
};
const Method* find_method(std::string_view name);
Capabilities capabilities_of(const AlipayOptions& options);

/// The gateway's method for a call. What closes a trade is `kClose`: it touches only what waits, and is refused when it
/// has been paid, so that nothing moves behind the books. `kCancel` would give back what was paid; it is for a barcode
/// payment of which Alipay has never named the trade, so that nothing is known that could be closed.
/// REQUIRES: the payment's method is one of ours.
std::string_view call_of(const ChannelCall& call);
std::string_view call_of(const RefundCall& call);

/// What a call says.
struct Content {
  std::string_view method;   // the gateway's
  boost::json::object biz;   // biz_content
  std::string return_url;    // where it brings the payer back
  bool is_notified = false;  // Alipay is told where to report
};

/// REQUIRES: the payment's method is one of ours.
Content content_of(const AlipayOptions& options, const ChannelCall& call);
Content content_of(const RefundCall& call);
Content content_of(const BillCall& call);

/// Why this can never be sent, in words for an operator; empty when it can.
std::optional<std::string> obstacle_to(const ChannelCall& call);

/// All parameters of a call, `sign` among them.
Parameters signed_parameters(const AlipayOptions& options, const AlipayKeys& keys, const Content& content, Time now);

/// For a request of our own. REQUIRES: the gateway is a URL.
UpstreamRequest to_request(const AlipayOptions& options, const Parameters& parameters);
/// For the payer: `k=v` joined by &, encoded. With the gateway and a question mark before it, a page.
std::string to_line(const Parameters& parameters);

}  // namespace finality::alipay
