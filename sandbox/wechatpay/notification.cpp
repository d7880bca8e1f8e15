#include "sandbox/wechatpay/notification.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <string>
#include <utility>

#include "sandbox/core/china_time.h"
#include "sandbox/wechatpay/messages.h"
#include "sandbox/wechatpay/order.h"
#include "sandbox/wechatpay/signature.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

constexpr Duration kReplayAge = 1h;  // age of the signature of a callback with Forgery::replayed
constexpr std::array<Duration, 15> kRetries{15s,   15s,   30s, 3min, 10min, 20min, 30min, 30min,
                                            30min, 60min, 3h,  3h,   3h,    6h,    6h};

struct CallbackTexts {
  std::string_view event_type;
  std::string_view summary;
  std::string_view original_type;
};

std::string envelope(const WechatpayAccount& account, const Notification& notification, const CallbackTexts& texts,
                     const boost::json::object& plain) {
  boost::json::object resource =
      encrypted(account, texts.original_type, notification.id, boost::json::serialize(plain));
  resource["original_type"] = texts.original_type;
  return boost::json::serialize(boost::json::object{{"id", "EV-" + notification.id},
                                                    {"create_time", china_rfc3339(notification.created_at)},
                                                    {"resource_type", "encrypt-resource"},
                                                    {"event_type", texts.event_type},
                                                    {"summary", texts.summary},
                                                    {"resource", resource}});
}

std::string payment_body(const WechatpayAccount& account, const Notification& notification, const Trade& trade) {
  return envelope(account, notification, {"TRANSACTION.SUCCESS", "支付成功", "transaction"},
                  transaction_of(account.merchant, trade));
}

CallbackTexts refund_texts(std::string_view status) {
  if (status == "CLOSED") return {"REFUND.CLOSED", "退款关闭", "refund"};
  if (status == "ABNORMAL") return {"REFUND.ABNORMAL", "退款异常", "refund"};
  return {"REFUND.SUCCESS", "退款成功", "refund"};
}

std::string refund_body(const WechatpayAccount& account, const Notification& notification,
                        const NotificationContent& content) {
  const Refund& refund = *content.refund;
  const bool is_stranded = notification.type == "refund.stranded";
  const std::string_view status = refund_status(refund, is_stranded ? *refund.stranded_at : refund.settles_at);
  boost::json::object plain{{"mchid", account.merchant.mchid},
                            {"transaction_id", refund.trade_no},
                            {"out_trade_no", content.trade.out_trade_no},
                            {"refund_id", refund.refund_no},
                            {"out_refund_no", refund.out_refund_no},
                            {"refund_status", status},
                            {"user_received_account", "支付用户零钱"},
                            {"amount",
                             {{"total", content.trade.paid},
                              {"refund", refund.amount},
                              {"payer_total", content.trade.paid},
                              {"payer_refund", refund.amount}}}};
  if (status == "SUCCESS") plain["success_time"] = china_rfc3339(refund.settles_at);
  return envelope(account, notification, refund_texts(status), plain);
}

// Returns whether a scenario reports a state that contradicts the trade. It is sent as a payment callback with that
// state.
bool is_contradiction(const Notification& notification) {
  const bool reports_waiting = notification.type == "trade.waiting";
  const bool reports_failure = notification.type == "trade.failed" && notification.trade.state == TradeState::paid;
  return reports_waiting || reports_failure;
}

std::optional<std::string> callback_body(const WechatpayAccount& account, const Notification& notification) {
  const NotificationContent content = content_of(notification);
  if (content.refund) return refund_body(account, notification, content);
  if (notification.type != "trade.paid" && !is_contradiction(notification)) return std::nullopt;
  return payment_body(account, notification, content.trade);
}

// Returns the body that is signed for Forgery::altered. The body that is sent differs: it reports a payment.
std::string body_before_alteration(const WechatpayAccount& account, const Notification& notification) {
  Trade trade = content_of(notification).trade;
  trade.state = TradeState::waiting;
  return payment_body(account, notification, trade);
}

}  // namespace

std::optional<net::Call> wechatpay_callback(const WechatpayAccount& account, const Notification& notification,
                                            Time now) {
  std::optional<std::string> body = callback_body(account, notification);
  if (!body) return std::nullopt;
  net::Call call{.url = notification.url, .method = "POST", .headers = {}, .body = std::move(*body)};
  call.headers.add("Content-Type", "application/json");
  const WechatpayDetails details = read_details(notification.trade.details);
  const WechatpaySigner* requested_signer = account.signer_for(details.signer);  // null after a key rotation
  const WechatpaySigner& signer = requested_signer != nullptr ? *requested_signer : account.platform;
  const bool is_platform = &signer == &account.platform;
  switch (notification.forgery) {
    case Forgery::none: {
      const bool is_probe = details.is_probed && notification.attempts == 0;
      (is_probe ? probe_as_wechatpay : sign_as_wechatpay)(signer, now, call.body, call.headers);
      return call;
    }
    case Forgery::bad_signature:
      sign_as_wechatpay({signer.serial, (is_platform ? account.public_key : account.platform).key}, now, call.body,
                        call.headers);
      return call;
    case Forgery::replayed:
      sign_as_wechatpay(signer, now - kReplayAge, call.body, call.headers);
      return call;
    case Forgery::altered:
      sign_as_wechatpay(signer, now, body_before_alteration(account, notification), call.headers);
      return call;
  }
  std::unreachable();
}

bool is_wechatpay_acknowledgement(const net::HttpResponse& response) {
  if (response.status == 204) return true;
  if (response.status != 200) return false;
  boost::json::error_code error;
  const boost::json::value body = boost::json::parse(response.body, error);
  const boost::json::value* code = body.is_object() ? body.get_object().if_contains("code") : nullptr;
  return code == nullptr || *code == "SUCCESS";
}

std::optional<Duration> wechatpay_retry_delay(std::int64_t attempts) {
  const auto retry = static_cast<std::size_t>(attempts - 1);
  return retry < kRetries.size() ? std::optional(kRetries[retry]) : std::nullopt;
}

}  // namespace finality::sandbox
