#include "channel/alipay/request.h"

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "channel/alipay/fund_auth.h"
#include "channel/alipay/values.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/web_url.h"
#include "channel/text_limits.h"

namespace finality::alipay {
namespace {

constexpr std::string_view kBarcode = "barcode";

constexpr Method kMethods[] = {
    {"page", "alipay.trade.page.pay", "FAST_INSTANT_TRADE_PAY", Handover::redirect, true},
    {"wap", "alipay.trade.wap.pay", "QUICK_WAP_WAY", Handover::redirect, true},
    {"app", "alipay.trade.app.pay", "QUICK_MSECURITY_PAY", Handover::order_string, true},
    {"qr", kPrecreate, "QR_CODE_OFFLINE", Handover::request, true},
    {kBarcode, kPay, "FACE_TO_FACE_PAYMENT", Handover::request, false},
};

constexpr std::string_view kCurrency = "CNY";
constexpr MinorUnits kAmountMax = 10'000'000'000;  // 100,000,000.00 yuan
// Refunds of one trade must be at least 3 s apart: note 1 of alipay.trade.refund (opendocs.alipay.com/open/02e7go).
constexpr Duration kRefundPause = std::chrono::seconds(3);
constexpr Duration kOpenMax = std::chrono::days(15);
constexpr std::size_t kPayerTextMax = 128;

// Returns the rule that a payer's payment code (付款码) violates, "must …"; empty if the code is valid. Alipay's codes
// begin with 25 to 30; codes of other wallets have other prefixes.
std::string_view auth_code_rule(std::string_view method, std::string_view code) {
  constexpr std::size_t kDigitsMin = 16;
  constexpr std::size_t kDigitsMax = 24;
  if (method != kBarcode) return {};
  const bool is_number = std::ranges::all_of(code, [](char c) { return c >= '0' && c <= '9'; });
  const std::string_view beginning = code.substr(0, 2);
  const bool fits =
      is_number && code.size() >= kDigitsMin && code.size() <= kDigitsMax && beginning >= "25" && beginning <= "30";
  return fits ? std::string_view() : "must be a number of 16 to 24 digits that begins with 25 to 30";
}

// Returns the expiry time of the trade, rounded up to the next second: the payer may pay until the order expires, and
// then the core closes the trade. Every request of a payment has the same value, because Alipay compares it.
std::string end_of_trade(const ChannelCall& call) {
  constexpr Duration kAlmostASecond(999);
  return to_beijing(std::min(call.order.expires_at, call.payment.created_at + kOpenMax) + kAlmostASecond);
}

boost::json::object creation(const AlipayOptions& options, const ChannelCall& call, const Method& method) {
  const Payment& payment = call.payment;
  boost::json::object biz{{"out_trade_no", payment.out_trade_no},
                          {"total_amount", to_yuan(payment.amount)},
                          {"subject", call.order.subject},
                          {"product_code", method.product},
                          {"time_expire", end_of_trade(call)}};
  if (method.call == kPay) {
    biz["scene"] = "bar_code";
    biz["auth_code"] = payer_field(payment.payer, "auth_code");
  }
  if (method.name == "wap") biz["quit_url"] = call.return_url.empty() ? options.public_url : call.return_url;
  if (payment.scenario) biz["passback_params"] = percent_encode("scenario=" + *payment.scenario);
  return biz;
}

// The only parameter in the body of the request. All others are in the query.
constexpr std::string_view kBodyParameter = "biz_content";

}  // namespace

std::string notify_url_of(const AlipayOptions& options) {
  return fmt::format("{}/notify/{}", options.public_url, options.name);
}

std::string payer_field(const std::string& payer, std::string_view name) {
  const auto fields = parse_object(payer);
  return fields ? std::string(text_field(*fields, name, kPayerTextMax).value_or("")) : std::string();
}

const Method* find_method(std::string_view name) {
  const auto* at = std::ranges::find(kMethods, name, &Method::name);
  return at == std::end(kMethods) ? nullptr : at;
}

Capabilities capabilities_of(const AlipayOptions& options) {
  Capabilities capabilities{
      .payer_field = {{std::string(kBarcode), "auth_code"}},
      .page_methods = {{"page", PageMethod::website}, {"wap", PageMethod::phone}, {"qr", PageMethod::scan}},
      .payer_rule = auth_code_rule,
      .uses_up_payer = {std::string(kBarcode)},
      .takes_scenario = options.is_sandbox,
      .currency = parse_currency(kCurrency),
      .amount_max = kAmountMax,
      .refund_pause = kRefundPause};
  capabilities.payer_app = PayerApp::alipay;
  capabilities.authorization = fund_auth_terms(options);
  for (const Method& method : kMethods) {
    capabilities.methods.emplace_back(method.name);
    if (!method.is_made_by_payer) continue;
    capabilities.made_by_payer.emplace_back(method.name);
    capabilities.repeats_action.emplace_back(method.name);
  }
  return capabilities;
}

std::string_view call_of(const ChannelCall& call) {
  const Payment& payment = call.payment;
  if (call.kind == ChannelCallKind::query_payment) return kQuery;
  if (call.kind == ChannelCallKind::close_payment)
    return payment.method == kBarcode && !payment.channel_trade_no ? kCancel : kClose;
  const Method* method = find_method(payment.method);
  FINALITY_CHECK(method != nullptr, "unknown payment method of Alipay");
  return method->call;
}

std::string_view call_of(const RefundCall& call) {
  return call.kind == RefundCallKind::query_refund ? kRefundQuery : kRefund;
}

Content content_of(const AlipayOptions& options, const ChannelCall& call) {
  if (call.kind == ChannelCallKind::query_payment && call.payment.query_total_of)
    return {.method = call_of(call), .biz = {{"trade_no", *call.payment.query_total_of}}};
  if (call.kind != ChannelCallKind::send_payment)
    return {.method = call_of(call), .biz = {{"out_trade_no", call.payment.out_trade_no}}};
  Content content{.method = call_of(call), .is_notified = true};
  const Method& method = *find_method(call.payment.method);
  content.biz = creation(options, call, method);
  if (method.handover == Handover::redirect) content.return_url = call.return_url;
  return content;
}

Content content_of(const RefundCall& call) {
  Content content{.method = call_of(call)};
  content.biz = {{"trade_no", call.channel_trade_no}, {"out_request_no", call.out_refund_no}};
  if (call.kind != RefundCallKind::send_refund) return content;
  content.biz["refund_amount"] = to_yuan(call.amount);
  if (!call.reason.empty()) content.biz["refund_reason"] = call.reason;
  return content;
}

Content content_of(const StatementCall& call) {
  return {
      .method = kStatement,
      .biz = {{"bill_type", call.kind == StatementKind::trades ? "trade" : "signcustomer"}, {"bill_date", call.date}}};
}

std::optional<std::string> obstacle_to(const ChannelCall& call) {
  const Payment& payment = call.payment;
  if (find_method(payment.method) == nullptr) return "Alipay does not have the method " + payment.method;
  return obstacle_to(payment.method, payment.amount, payment.currency, payment.payer);
}

std::optional<std::string> obstacle_to(std::string_view method, MinorUnits amount, Currency currency,
                                       const std::string& payer) {
  if (currency.text() != kCurrency) return "Alipay accepts only CNY";
  if (amount < 1 || amount > kAmountMax) return "Alipay accepts 0.01 to 100000000.00 yuan";
  const std::string_view wrong = auth_code_rule(method, payer_field(payer, "auth_code"));
  return wrong.empty() ? std::nullopt : std::optional(fmt::format("the payer's auth_code {}", wrong));
}

Parameters signed_parameters(const AlipayOptions& options, const AlipayKeys& keys, const Content& content, Time now) {
  Parameters parameters{
      {"app_id", options.app_id}, {"method", std::string(content.method)}, {"format", "JSON"}, {"charset", "utf-8"},
      {"sign_type", "RSA2"},      {"timestamp", to_beijing(now)},          {"version", "1.0"}};
  if (content.is_notified) parameters["notify_url"] = notify_url_of(options);
  if (!content.return_url.empty()) parameters["return_url"] = content.return_url;
  if (!keys.app_cert_sn.empty()) {
    parameters["app_cert_sn"] = keys.app_cert_sn;
    parameters["alipay_root_cert_sn"] = keys.root_cert_sn;
  }
  fit_texts(kKind, parameters);
  boost::json::object biz = content.biz;
  fit_texts(kKind, biz);
  parameters[std::string(kBodyParameter)] = boost::json::serialize(biz);
  parameters["sign"] = sign(keys.own, text_to_sign(parameters));
  return parameters;
}

UpstreamRequest to_request(const AlipayOptions& options, const Parameters& parameters) {
  Parameters query = parameters;
  Parameters body;
  body.insert(query.extract(std::string(kBodyParameter)));
  const std::string line = to_line(query);
  UpstreamRequest request{.url = options.gateway + '?' + line, .http = {.method = "POST"}};
  request.http.target = parse_web_url(options.gateway)->target + '?' + line;
  request.http.headers.add("Content-Type", "application/x-www-form-urlencoded;charset=utf-8");
  request.http.headers.add("Accept", "application/json");
  request.http.body = to_line(body);
  return request;
}

std::string to_line(const Parameters& parameters) {
  std::string line;
  for (const auto& [name, value] : parameters) {
    if (!line.empty()) line += '&';
    line += percent_encode(name) + '=' + percent_encode(value);
  }
  return line;
}

}  // namespace finality::alipay
