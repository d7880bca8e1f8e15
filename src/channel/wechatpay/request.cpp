#include "channel/wechatpay/request.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

#include "base/crypto/encoding.h"
#include "channel/parsing/json_fields.h"
#include "channel/text_limits.h"

namespace finality::wechatpay {
namespace {

namespace json = boost::json;

constexpr std::size_t kPayerTextBytesMax = 512;
constexpr const char* kTransactions = "/v3/pay/transactions";
constexpr const char* kRefunds = "/v3/refund/domestic/refunds";

// Formats a time in RFC 3339 and China time (UTC+8), rounded up to the next second. The trade must not expire before
// the order, because the core closes the trade only after the order has expired.
std::string china_time(Time at) {
  return to_rfc3339(at + std::chrono::hours(8) + Duration{999}).substr(0, 19) + "+08:00";
}

std::string payer_text(const Payment& payment, std::string_view name) {
  const auto payer = parse_object(payment.payer);
  return payer ? std::string(text_field(*payer, name, kPayerTextBytesMax).value_or("")) : std::string();
}

// Every request with a body is built here, so that all its texts fit.
net::HttpRequest posting(std::string target, json::object body) {
  fit_texts(kKind, body);
  return {.method = "POST", .target = std::move(target), .body = json::serialize(body)};
}

json::object creation_of(const ChannelCall& call, const Account& account, const std::string& notify_url,
                         bool is_sandbox) {
  const Payment& payment = call.payment;
  json::object body{{"appid", account.appid},
                    {"mchid", account.mchid},
                    {"description", call.order.subject},
                    {"out_trade_no", payment.out_trade_no},
                    {"time_expire", china_time(call.order.expires_at)},
                    {"notify_url", notify_url},
                    {"amount", {{"total", payment.amount}, {"currency", payment.currency.text()}}}};
  if (is_sandbox && payment.scenario) body["attach"] = "scenario=" + *payment.scenario;
  if (payment.method == "jsapi") body["payer"] = {{"openid", payer_text(payment, "openid")}};
  if (payment.method == "h5")
    body["scene_info"] = {{"payer_client_ip", payer_text(payment, "client_ip")}, {"h5_info", {{"type", "Wap"}}}};
  return body;
}

}  // namespace

net::HttpRequest request_of(const ChannelCall& call, const Account& account, const std::string& notify_url,
                            bool is_sandbox) {
  const std::string trade = fmt::format("{}/out-trade-no/{}", kTransactions, percent_encode(call.payment.out_trade_no));
  switch (call.kind) {
    case ChannelCallKind::query_payment: {
      const auto& id = call.payment.query_total_of;
      return {.target =
                  fmt::format("{}?mchid={}", id ? fmt::format("{}/id/{}", kTransactions, percent_encode(*id)) : trade,
                              percent_encode(account.mchid))};
    }
    case ChannelCallKind::close_payment:
      return posting(trade + "/close", {{"mchid", account.mchid}});
    case ChannelCallKind::send_payment:
      break;
  }
  return posting(fmt::format("{}/{}", kTransactions, percent_encode(call.payment.method)),
                 creation_of(call, account, notify_url, is_sandbox));
}

net::HttpRequest request_of(const RefundCall& call, const std::string& notify_url) {
  if (call.kind == RefundCallKind::query_refund)
    return {.target = fmt::format("{}/{}", kRefunds, percent_encode(call.out_refund_no))};
  json::object body{
      {"transaction_id", call.channel_trade_no},
      {"out_refund_no", call.out_refund_no},
      {"notify_url", notify_url},
      {"amount", {{"refund", call.amount}, {"total", call.trade_amount}, {"currency", call.currency.text()}}}};
  if (!call.reason.empty()) body["reason"] = call.reason;
  return posting(kRefunds, std::move(body));
}

net::HttpRequest request_of(const StatementCall& call) {
  const bool is_trades = call.kind == StatementKind::trades;
  return {.target = fmt::format("/v3/bill/{}?bill_date={}&{}&tar_type=GZIP", is_trades ? "tradebill" : "fundflowbill",
                                call.date, is_trades ? "bill_type=ALL" : "account_type=" + call.funds_account)};
}

}  // namespace finality::wechatpay
