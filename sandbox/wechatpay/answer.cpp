#include "sandbox/wechatpay/answer.h"

#include <boost/json/serialize.hpp>

namespace finality::sandbox {
namespace {

net::HttpResponse with_json(int status, const boost::json::object& body) {
  net::HttpResponse response{.status = status, .headers = {}, .body = boost::json::serialize(body)};
  response.headers.add("Content-Type", "application/json; charset=utf-8");
  return response;
}

}  // namespace

net::HttpResponse wechatpay_error(const WechatpayCode& code, std::string_view message) {
  return with_json(code.status, {{"code", code.name}, {"message", message}});
}

net::HttpResponse wechatpay_param_error(std::string_view field, std::string_view value, std::string_view issue,
                                        std::string_view location) {
  const boost::json::object detail{{"field", field}, {"value", value}, {"issue", issue}, {"location", location}};
  return with_json(kParamError.status, {{"code", kParamError.name}, {"message", "参数错误"}, {"detail", detail}});
}

net::HttpResponse wechatpay_json(const boost::json::object& body) { return with_json(200, body); }

net::HttpResponse wechatpay_no_content() { return wechatpay_empty(204); }

net::HttpResponse wechatpay_empty(int status) { return {.status = status, .headers = {}, .body = ""}; }

}  // namespace finality::sandbox
