#include "sandbox/alipay/notification.h"

#include <boost/json/serialize.hpp>

#include <utility>

#include "sandbox/alipay/trade.h"
#include "sandbox/core/china_time.h"
#include "sandbox/formats/yuan.h"

namespace finality::sandbox::alipay {
namespace {

constexpr const char* kAnotherApp = "2021000000000002";
constexpr ForgedValue kForgedStatus{"trade_status", "WAIT_BUYER_PAY"};

void put_trade(Params& params, const Application& app, const Trade& trade) {
  const Details details = details_of(trade);
  put(params, "trade_no", trade.trade_no);
  put(params, "out_trade_no", trade.out_trade_no);
  put(params, "trade_status", std::string(status_of(trade)));
  put(params, "total_amount", total_of(trade));
  put(params, "trans_currency", trade.currency != "CNY" ? trade.currency : "");
  put(params, "subject", trade.subject);
  put(params, "body", details.body);
  put(params, "passback_params", details.passback_params);
  put(params, "buyer_id", buyer_id(trade.payer));
  put(params, "buyer_logon_id", buyer_logon_id(trade.payer));
  put(params, "seller_id", std::string(app.seller_id));
  put(params, "seller_email", std::string(app.seller_email));
  put(params, "gmt_create", china_time(trade.created_at));
}

// Returns fund_bill_list. Its field names are in camelCase in notifications, but in snake_case in responses.
std::string fund_bill_list(const Trade& trade) {
  return boost::json::serialize(
      boost::json::array{boost::json::object{{"amount", to_yuan(trade.paid)}, {"fundChannel", "ALIPAYACCOUNT"}}});
}

void put_payment(Params& params, const Trade& trade) {
  if (!trade.paid_at) return;
  const std::string paid = to_yuan(trade.paid);
  put(params, "receipt_amount", paid);
  put(params, "invoice_amount", paid);
  put(params, "buyer_pay_amount", paid);
  put(params, "point_amount", "0.00");
  put(params, "fund_bill_list", fund_bill_list(trade));
  put(params, "gmt_payment", china_time(*trade.paid_at));
}

// Adds the fields of a refund. refund_fee is the sum of all refunds of the trade. out_biz_no is added only for refunds
// that the merchant requested.
void put_refund(Params& params, const Trade& trade, const Refund& refund, bool is_the_merchants) {
  put(params, "refund_fee", to_yuan(trade.refunded));
  put(params, "gmt_refund", china_time(refund.created_at));
  if (is_the_merchants) put(params, "out_biz_no", out_request_no(refund));
}

}  // namespace

void put(Params& params, const char* name, std::string value) {
  if (!value.empty()) params[name] = std::move(value);
}

Params classic_frame(const Application& app, const std::string& notify_id, std::string_view notify_type, Time now) {
  Params params;
  put(params, "notify_id", notify_id);
  put(params, "notify_type", std::string(notify_type));
  put(params, "notify_time", china_time(now));
  put(params, "app_id", std::string(app.app_id));
  put(params, "auth_app_id", std::string(app.app_id));
  put(params, "charset", "utf-8");
  put(params, "version", "1.0");
  put(params, "sign_type", "RSA2");
  return params;
}

void sign_as(Forgery forgery, const Account& account, const ForgedValue& forged, Params& params) {
  switch (forgery) {
    case Forgery::none:
      params["sign"] = sign(account.alipay, content_of_notification(params));
      return;
    case Forgery::bad_signature: {
      static const RsaPrivateKey forgers = RsaPrivateKey::generate();
      params["sign"] = sign(forgers, content_of_notification(params));
      return;
    }
    case Forgery::replayed:
      params["app_id"] = params["auth_app_id"] = kAnotherApp;
      params["sign"] = sign(account.alipay, content_of_notification(params));
      return;
    case Forgery::altered: {
      const std::string value = std::exchange(params[forged.name], forged.signed_value);
      params["sign"] = sign(account.alipay, content_of_notification(params));
      params[forged.name] = value;
      return;
    }
  }
}

std::optional<Params> notification_params(const Notification& notification, const Account& account, Time now) {
  const NotificationContent content = content_of(notification);
  const bool is_merchants_refund = notification.type.starts_with("refund.");
  if (!notification.trade.opened && notification.forgery == Forgery::none) return std::nullopt;
  if (is_merchants_refund && content.trade.refunded == content.trade.paid) return std::nullopt;
  Params params = classic_frame(account.app, notification.id, "trade_status_sync", now);
  put_trade(params, account.app, content.trade);
  put_payment(params, content.trade);
  if (content.refund) put_refund(params, content.trade, *content.refund, is_merchants_refund);
  if (status_of(content.trade) == "TRADE_CLOSED") put(params, "gmt_close", china_time(notification.created_at));
  sign_as(notification.forgery, account, kForgedStatus, params);
  return params;
}

std::optional<std::string> return_url_of(const Trade& trade, const Account& account, Time now) {
  if (!trade.return_url || trade.state != TradeState::paid) return trade.return_url;
  Params params{{"app_id", std::string(account.app.app_id)},
                {"auth_app_id", std::string(account.app.app_id)},
                {"charset", "utf-8"},
                {"method", "alipay.trade." + trade.product + ".pay.return"},
                {"out_trade_no", trade.out_trade_no},
                {"seller_id", std::string(account.app.seller_id)},
                {"sign_type", "RSA2"},
                {"timestamp", china_time(now)},
                {"total_amount", total_of(trade)},
                {"trade_no", trade.trade_no},
                {"version", "1.0"}};
  params["sign"] = sign(account.alipay, content_of_notification(params));
  const char joint = trade.return_url->contains('?') ? '&' : '?';
  return *trade.return_url + joint + to_form(params);
}

}  // namespace finality::sandbox::alipay
