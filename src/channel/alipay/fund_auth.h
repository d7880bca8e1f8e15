// Requests of authorizations (资金预授权) and captures (转支付) to Alipay. Pure.
//
//   method    request                                  product_code      action for the payer
//   qr        alipay.fund.auth.order.voucher.create    PRE_AUTH          qr_code
//   app       none                                     PRE_AUTH_ONLINE   form with an order string
//   barcode   alipay.fund.auth.order.freeze            PRE_AUTH          none
//
//   query     alipay.fund.auth.operation.detail.query, of the freeze
//   close     alipay.fund.auth.operation.cancel: also releases an amount that is held
//   release   alipay.fund.auth.operation.cancel for the whole amount within 23 hours, otherwise
//             alipay.fund.auth.order.unfreeze
//   capture   alipay.trade.pay with auth_no; its query is alipay.trade.query
//
// The out_trade_no of an authorization is its out_order_no and the out_request_no of its freeze.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"
#include "channel/alipay/request.h"
#include "model/effect.h"
#include "model/policy.h"

namespace finality::alipay {

inline constexpr std::string_view kFreeze = "alipay.fund.auth.order.freeze";
inline constexpr std::string_view kVoucher = "alipay.fund.auth.order.voucher.create";
inline constexpr std::string_view kAppFreeze = "alipay.fund.auth.order.app.freeze";
inline constexpr std::string_view kFundAuthQuery = "alipay.fund.auth.operation.detail.query";
inline constexpr std::string_view kFundAuthCancel = "alipay.fund.auth.operation.cancel";
inline constexpr std::string_view kUnfreeze = "alipay.fund.auth.order.unfreeze";

/// Returns the method of authorizations with this name in Finality's API; null if the name is unknown.
const Method* find_fund_auth_method(std::string_view name);
AuthorizationTerms fund_auth_terms(const AlipayOptions& options);

/// Return the gateway method of a call. It depends only on the call, so that the response is read as that of the
/// request. REQUIRES: find_fund_auth_method finds the authorization's method.
std::string_view call_of(const AuthorizationCall& call);
std::string_view call_of(const CaptureCall& call);

/// Return the content of the request for a call. REQUIRES: find_fund_auth_method finds the authorization's method; a
/// capture has an out_trade_no or a channel_trade_no.
Content content_of(const AlipayOptions& options, const AuthorizationCall& call);
Content content_of(const AlipayOptions& options, const CaptureCall& call);

/// Returns the reason why Alipay can never accept the authorization, like obstacle_to(ChannelCall).
std::optional<std::string> obstacle_to(const AuthorizationCall& call);

}  // namespace finality::alipay
