// Builders for the WeChat Pay gateway's responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "sandbox/texts/text_limits.h"

namespace finality::sandbox {

/// Error code of WeChat Pay's API and its HTTP status.
struct WechatpayCode {
  int status;
  std::string_view name;
};

inline constexpr WechatpayCode kParamError{400, "PARAM_ERROR"};
inline constexpr WechatpayCode kInvalidRequest{400, "INVALID_REQUEST"};
inline constexpr WechatpayCode kAppidMchidNotMatch{400, "APPID_MCHID_NOT_MATCH"};
inline constexpr WechatpayCode kMchNotExists{400, "MCH_NOT_EXISTS"};
inline constexpr WechatpayCode kOrderPaid{400, "ORDER_PAID"};
inline constexpr WechatpayCode kOrderClosed{400, "ORDER_CLOSED"};
/// Error code that WeChat Pay does not document, for the scenario refused_unlisted.
inline constexpr WechatpayCode kUnlistedRefusal{400, "UNLISTED_REFUSAL"};
inline constexpr WechatpayCode kNoStatementExist{400, "NO_STATEMENT_EXIST"};
inline constexpr WechatpayCode kStatementCreating{400, "STATEMENT_CREATING"};
inline constexpr WechatpayCode kSignError{401, "SIGN_ERROR"};
inline constexpr WechatpayCode kOutTradeNoUsed{403, "OUT_TRADE_NO_USED"};
inline constexpr WechatpayCode kNotEnough{403, "NOT_ENOUGH"};
inline constexpr WechatpayCode kUserAccountAbnormal{403, "USER_ACCOUNT_ABNORMAL"};
inline constexpr WechatpayCode kOrderNotExist{404, "ORDER_NOT_EXIST"};
inline constexpr WechatpayCode kResourceNotExists{404, "RESOURCE_NOT_EXISTS"};
inline constexpr WechatpayCode kServiceUnavailable{503, "SERVICE_UNAVAILABLE"};

net::HttpResponse wechatpay_error(const WechatpayCode& code, std::string_view message);
/// Returns PARAM_ERROR. `field` is a JSON pointer into the body or the name of a path or query parameter; `location` is
/// the part of the request that contains the field.
net::HttpResponse wechatpay_param_error(std::string_view field, std::string_view value, std::string_view issue,
                                        std::string_view location = "body");
/// Return PARAM_ERROR for a text of the body whose size or whose characters its row does not accept.
net::HttpResponse wechatpay_size_error(const TextLimit& limit, std::string_view text);
net::HttpResponse wechatpay_pattern_error(const TextLimit& limit, std::string_view text);

net::HttpResponse wechatpay_json(const boost::json::object& body);
/// 204, the response to a successful close.
net::HttpResponse wechatpay_no_content();
/// Returns a response with an empty body, for unknown paths (404) and methods (405).
net::HttpResponse wechatpay_empty(int status);

}  // namespace finality::sandbox
