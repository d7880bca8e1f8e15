// Test double of Alipay's gateway, for signed responses and notifications. Implements the protocol independently of the
// adapter, so that an error of the adapter does not also occur here.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "base/crypto/encoding.h"
#include "base/testing/source_dir.h"
#include "channel/alipay/channel.h"

namespace finality::alipay_test {

inline constexpr const char* kAppId = "2021000000000001";
inline constexpr const char* kSellerId = "2088000000000001";
inline constexpr const char* kTradeNo = "2026112122001400000000000008";
inline constexpr const char* kAuthNo = "2026112110002001000000000008";
inline constexpr const char* kCertificate = "7513daaaa48aa3ba2e4018d84402479c";

/// RSA keys for tests. Each key is generated once per process, because generation is slow.
inline const RsaPrivateKey& merchant_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}
inline const RsaPrivateKey& alipay_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}
inline const RsaPrivateKey& another_key() {
  static const RsaPrivateKey key = RsaPrivateKey::generate();
  return key;
}

enum class Mode { public_key, certificates };

inline AlipayKeys keys_for(Mode mode, const RsaPrivateKey& alipay = alipay_key()) {
  AlipayKeys keys{.own = merchant_key()};
  keys.alipay.emplace(mode == Mode::certificates ? kCertificate : "", alipay.public_key());
  if (mode == Mode::certificates) {
    keys.app_cert_sn = "866efef280dec9137a87d047ac446315";
    keys.root_cert_sn = "687b59193f3f462dd5336e5abf83c5d8_02941eef3187dddf3d3b83462e1dfcf6";
  }
  return keys;
}

inline AlipayOptions options_for(Mode mode) {
  return {.gateway = "https://gateway.example/gateway.do",
          .app_id = kAppId,
          .seller_id = kSellerId,
          .public_url = "https://pay.example/",
          .keys = keys_for(mode),
          .is_sandbox = true};
}

/// Test vectors from Alipay's official SDK.
inline boost::json::value vectors() {
  std::ifstream file(source_dir() + "/tests/vectors/alipay.json");
  return boost::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
}
inline std::string text_of(const boost::json::value& value) { return std::string(value.as_string()); }

inline std::string signature_of(std::string_view text, const RsaPrivateKey& key = alipay_key()) {
  return to_base64(key.sign(text));
}

inline net::HttpResponse ok(std::string body) { return {.status = 200, .body = std::move(body)}; }

/// Returns the response {"METHOD_response":NODE,"sign":"…"}, with the bytes of `node` as NODE.
inline net::HttpResponse signed_answer(std::string method, const std::string& node, Mode mode = Mode::public_key) {
  std::ranges::replace(method, '.', '_');
  const std::string number =
      mode == Mode::certificates ? fmt::format(R"(,"alipay_cert_sn":"{}")", kCertificate) : std::string();
  return ok(fmt::format(R"({{"{}_response":{}{},"sign":"{}"}})", method, node, number, signature_of(node)));
}

inline net::HttpResponse signed_answer(const std::string& method, boost::json::object node,
                                       Mode mode = Mode::public_key) {
  boost::json::object all{{"code", "10000"}, {"msg", "Success"}};
  for (auto& [name, value] : node) all[name] = value;
  return signed_answer(method, boost::json::serialize(all), mode);
}

inline net::HttpResponse refusal(const std::string& method, std::string_view code, std::string_view sub_code,
                                 Mode mode = Mode::public_key) {
  return signed_answer(
      method, boost::json::object{{"code", code}, {"msg", "Failed"}, {"sub_code", sub_code}, {"sub_msg", "why"}}, mode);
}

using Form = std::map<std::string, std::string>;

inline std::string text_to_sign(const Form& form, bool with_sign_type) {
  std::string text;
  for (const auto& [name, value] : form)
    if (!value.empty() && name != "sign" && (with_sign_type || name != "sign_type"))
      text += (text.empty() ? "" : "&") + name + "=" + value;
  return text;
}

inline std::string encoded(const Form& form) {
  std::string body;
  for (const auto& [name, value] : form) body += (body.empty() ? "" : "&") + name + "=" + percent_encode(value);
  return body;
}

inline net::HttpRequest post(std::string body) {
  return {.method = "POST", .target = "/notify/alipay", .body = std::move(body)};
}

/// Returns a notification with the parameters of `form`, signed by rule V1, or by rule V2 if `with_sign_type`
/// (channel/alipay/signature.h).
inline net::HttpRequest notification(Form form, const RsaPrivateKey& key = alipay_key(), bool with_sign_type = false) {
  form["sign_type"] = "RSA2";
  form["sign"] = signature_of(text_to_sign(form, with_sign_type), key);
  return post(encoded(form));
}

/// Returns a notification about a trade of 10.00 CNY, paid at 2026-09-21T14:13:15Z and reported 5 seconds later.
inline Form paid_form(const std::string& out_trade_no) {
  return {{"app_id", kAppId},
          {"auth_app_id", kAppId},
          {"buyer_id", "2088102534368455"},
          {"buyer_pay_amount", "10.00"},
          {"charset", "utf-8"},
          {"fund_bill_list", R"([{"amount":"10.00","fundChannel":"ALIPAYACCOUNT"}])"},
          {"gmt_create", "2026-09-21 22:13:10"},
          {"gmt_payment", "2026-09-21 22:13:15"},
          {"notify_id", "2026092100222221315000000000000001"},
          {"notify_time", "2026-09-21 22:13:20"},
          {"notify_type", "trade_status_sync"},
          {"out_trade_no", out_trade_no},
          {"receipt_amount", "10.00"},
          {"seller_id", kSellerId},
          {"subject", "茶 & co"},
          {"total_amount", "10.00"},
          {"trade_no", kTradeNo},
          {"trade_status", "TRADE_SUCCESS"},
          {"version", "1.0"}};
}

/// Returns a notification that 10.00 CNY were frozen at 2026-09-21T14:13:20Z. The fields are those of a real
/// notification of 2019.
inline Form frozen_form(const std::string& out_order_no) {
  return {{"amount", "10.00"},
          {"app_id", kAppId},
          {"auth_app_id", kAppId},
          {"auth_no", kAuthNo},
          {"charset", "utf-8"},
          {"gmt_create", "2026-09-21 22:13:10"},
          {"gmt_trans", "2026-09-21 22:13:20"},
          {"notify_id", "2026092100222221320000000000000002"},
          {"notify_time", "2026-09-21 22:13:21"},
          {"notify_type", "fund_auth_freeze"},
          {"operation_id", "20260921000000000008"},
          {"operation_type", "FREEZE"},
          {"out_order_no", out_order_no},
          {"out_request_no", out_order_no},
          {"payee_logon_id", "s***@shop.example"},
          {"payee_user_id", kSellerId},
          {"payer_logon_id", "a***@b.example"},
          {"payer_user_id", "2088102534368455"},
          {"rest_amount", "10.00"},
          {"status", "SUCCESS"},
          {"total_freeze_amount", "10.00"},
          {"total_pay_amount", "0.00"},
          {"total_unfreeze_amount", "0.00"},
          {"version", "1.0"}};
}

/// Returns the form in the message envelope: its fields as JSON in biz_content.
inline Form as_message(const Form& form) {
  boost::json::object content;
  for (const auto& [name, value] : form) content[name] = value;
  return {{"app_id", kAppId},
          {"biz_content", boost::json::serialize(content)},
          {"charset", "UTF-8"},
          {"msg_method", form.at("notify_type")},
          {"notify_id", form.at("notify_id")},
          {"utc_timestamp", "1790000001000"},
          {"version", "1.1"}};
}

}  // namespace finality::alipay_test
