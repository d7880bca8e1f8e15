#include "sandbox/wechatpay/answer.h"

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

namespace finality::sandbox {
namespace {

net::HttpResponse with_json(int status, const boost::json::object& body) {
  net::HttpResponse response{.status = status, .headers = {}, .body = boost::json::serialize(body)};
  response.headers.add("Content-Type", "application/json; charset=utf-8");
  return response;
}

// Returns the refusal of a text, in the words of the real gateway.
net::HttpResponse text_error(const TextLimit& limit, const boost::json::value& value, std::string_view issue) {
  const boost::json::object detail{{"location", "body"}, {"value", value}};
  return with_json(kParamError.status, {{"code", kParamError.name},
                                        {"detail", detail},
                                        {"message", fmt::format("输入源“/body{}”映射到值字段“{}”字符串规则校验失败，{}",
                                                                limit.field, limit.title, issue)}});
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

net::HttpResponse wechatpay_size_error(const TextLimit& limit, std::string_view text) {
  const std::size_t size = count_in(limit.unit, text);
  const bool is_short = size < limit.min;
  return text_error(limit, boost::json::value(size),
                    fmt::format("{} {}，{} {}", limit.unit == CountedUnit::bytes ? "字节数" : "字符数", size,
                                is_short ? "小于最小值" : "大于最大值", is_short ? limit.min : limit.max));
}

net::HttpResponse wechatpay_pattern_error(const TextLimit& limit, std::string_view text) {
  return text_error(limit, boost::json::value(text), fmt::format("字符串必须匹配正则表达式“^[{}]+$”", limit.set));
}

net::HttpResponse wechatpay_json(const boost::json::object& body) { return with_json(200, body); }

net::HttpResponse wechatpay_no_content() { return wechatpay_empty(204); }

net::HttpResponse wechatpay_empty(int status) { return {.status = status, .headers = {}, .body = ""}; }

}  // namespace finality::sandbox
