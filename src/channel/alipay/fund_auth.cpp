#include "channel/alipay/fund_auth.h"

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "channel/alipay/values.h"
#include "model/out_trade_no.h"

namespace finality::alipay {
namespace {

constexpr std::string_view kOffline = "PRE_AUTH";
constexpr std::string_view kOnline = "PRE_AUTH_ONLINE";

constexpr Method kMethods[] = {
    {"qr", kVoucher, kOffline, Handover::request, true},
    {"app", kAppFreeze, kOnline, Handover::order_string, true},
    {"barcode", kFreeze, kOffline, Handover::request, false},
};

constexpr Duration kMinute = std::chrono::minutes(1);
constexpr Duration kOpenMax = std::chrono::days(15);
// Alipay accepts a cancel within 24 h of the freeze; the margin covers a difference of the clocks.
constexpr Duration kCancelledWithin = std::chrono::hours(23);
// Finishes the order of a credit (芝麻免押), so that the payer can use the credit again.
constexpr std::string_view kCreditEnds = R"({"unfreezeBizInfo":"{\"bizComplete\":\"true\"}"})";

const Method& method_of(const Authorization& authorization) {
  const Method* method = find_fund_auth_method(authorization.method);
  FINALITY_CHECK(method != nullptr, "unknown authorization method of Alipay");
  return *method;
}

// Whether the release is a cancel, which releases all at once and needs no auth_no. Alipay refuses it late, and after
// parts were captured or released. Compares the call's deadline, so that request and response agree.
bool is_cancelled(const AuthorizationCall& call) {
  const Authorization& authorization = call.authorization;
  if (!authorization.channel_trade_no) return true;
  return authorization.release_attempts <= 1 && authorization.captured_amount == 0 &&
         authorization.released_amount == 0 && authorization.release_amount == authorization.authorized_amount &&
         authorization.authorized_at && call.deadline < *authorization.authorized_at + kCancelledWithin;
}

// Returns the time in which the payer can authorize: until the order expires. Every request of an authorization has the
// same value, because Alipay compares it.
std::string payers_time(const AuthorizationCall& call) {
  const Duration open = std::clamp(call.order.expires_at - call.authorization.created_at, kMinute, kOpenMax);
  return fmt::format("{}m", (open + kMinute - Duration(1)) / kMinute);
}

boost::json::object creation(const AlipayOptions& options, const AuthorizationCall& call, const Method& method) {
  const Authorization& authorization = call.authorization;
  boost::json::object biz{{"out_order_no", authorization.out_trade_no},
                          {"out_request_no", authorization.out_trade_no},
                          {"order_title", call.order.subject},
                          {"amount", to_yuan(authorization.amount)},
                          {"product_code", method.product},
                          {"payee_user_id", options.seller_id},
                          {"timeout_express", payers_time(call)}};
  if (method.call == kFreeze) {
    biz["auth_code"] = payer_field(authorization.payer, "auth_code");
    biz["auth_code_type"] = "bar_code";
  }
  if (authorization.scenario)
    biz["extra_param"] = boost::json::serialize(boost::json::object{{"scenario", *authorization.scenario}});
  return biz;
}

boost::json::object release(const AuthorizationCall& call) {
  const Authorization& authorization = call.authorization;
  boost::json::object biz{
      {"auth_no", *authorization.channel_trade_no},
      {"out_request_no", out_release_no(authorization.out_trade_no, authorization.release_attempts)},
      {"amount", to_yuan(authorization.release_amount)},
      {"remark", call.order.subject}};
  if (authorization.unfunded) biz["extra_param"] = kCreditEnds;
  return biz;
}

// Whether Alipay's identifier of a payer is a user id (2088…); otherwise it is an open id.
bool is_user_id(std::string_view payer) {
  return payer.starts_with("2088") && std::ranges::all_of(payer, [](char c) { return c >= '0' && c <= '9'; });
}

boost::json::object capture(const AlipayOptions& options, const CaptureCall& call) {
  const Authorization& authorization = call.authorization;
  boost::json::object biz{{"out_trade_no", call.capture.out_trade_no},
                          {"total_amount", to_yuan(call.capture.amount)},
                          {"subject", call.order.subject},
                          {"product_code", method_of(authorization).product},
                          {"auth_no", authorization.channel_trade_no.value_or("")},
                          {"seller_id", options.seller_id},
                          {"auth_confirm_mode", call.capture.is_final ? "COMPLETE" : "NOT_COMPLETE"}};
  biz[is_user_id(authorization.channel_payer) ? "buyer_id" : "buyer_open_id"] = authorization.channel_payer;
  return biz;
}

}  // namespace

const Method* find_fund_auth_method(std::string_view name) {
  const auto* at = std::ranges::find(kMethods, name, &Method::name);
  return at == std::end(kMethods) ? nullptr : at;
}

AuthorizationTerms fund_auth_terms(const AlipayOptions& options) {
  AuthorizationTerms terms{.capture_within_max = std::chrono::days(options.authorization_valid_days)};
  for (const Method& method : kMethods) terms.methods.emplace_back(method.name);
  return terms;
}

std::string_view call_of(const AuthorizationCall& call) {
  switch (call.kind) {
    case AuthorizationCallKind::query_authorization:
      return kFundAuthQuery;
    case AuthorizationCallKind::close_authorization:
      return kFundAuthCancel;
    case AuthorizationCallKind::release_authorization:
      return is_cancelled(call) ? kFundAuthCancel : kUnfreeze;
    case AuthorizationCallKind::send_authorization:
      break;
  }
  return method_of(call.authorization).call;
}

std::string_view call_of(const CaptureCall& call) {
  return call.kind == CaptureCallKind::query_capture ? kQuery : kPay;
}

Content content_of(const AlipayOptions& options, const AuthorizationCall& call) {
  const std::string& number = call.authorization.out_trade_no;
  Content content{.method = call_of(call), .biz = {{"out_order_no", number}, {"out_request_no", number}}};
  content.is_notified = call.kind != AuthorizationCallKind::query_authorization;
  if (call.kind == AuthorizationCallKind::send_authorization)
    content.biz = creation(options, call, method_of(call.authorization));
  else if (content.method == kFundAuthQuery)
    content.biz["operation_type"] = "FREEZE";
  else if (content.method == kUnfreeze)
    content.biz = release(call);
  else
    content.biz["remark"] = call.order.subject;
  return content;
}

Content content_of(const AlipayOptions& options, const CaptureCall& call) {
  if (call.kind == CaptureCallKind::send_capture)
    return {.method = kPay, .biz = capture(options, call), .is_notified = true};
  if (!call.capture.out_trade_no.empty())
    return {.method = kQuery, .biz = {{"out_trade_no", call.capture.out_trade_no}}};
  return {.method = kQuery, .biz = {{"trade_no", call.capture.channel_trade_no.value_or("")}}};
}

std::optional<std::string> obstacle_to(const AuthorizationCall& call) {
  const Authorization& row = call.authorization;
  if (find_fund_auth_method(row.method) == nullptr) return "Alipay has no authorizations with the method " + row.method;
  return obstacle_to(row.method, row.amount, row.currency, row.payer);
}

}  // namespace finality::alipay
