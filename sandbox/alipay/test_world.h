// Test fixture: a merchant of the Alipay gateway. Signs and verifies with its own code on top of src/base/, so that
// errors in the gateway's signatures are detected.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto/encoding.h"
#include "base/crypto/rsa.h"
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {

class AlipayTest : public TestWorld {
 protected:
  using Fields = std::map<std::string, std::string>;
  using Object = boost::json::object;

  static std::filesystem::path handed_out(const std::string& name, const std::string& merchant = "merchant") {
    return shared_keys() / "alipay" / merchant / name;
  }

  /// Switches to the merchant whose files are in the directory `merchant`.
  void act_as(const std::string& merchant) {
    app_id_ = boost::json::parse(text_of(handed_out("account.json", merchant))).at("app_id").as_string();
    key_ = RsaPrivateKey::parse(Secret(text_of(handed_out("app_private_key.pem", merchant)))).value();
    alipay_key_ = RsaPublicKey::parse(text_of(handed_out("alipay_public_key.pem", merchant))).value();
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    EXPECT_TRUE(in) << file;
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static std::string encoded(const Fields& fields) {
    std::string form;
    for (const auto& [name, value] : fields)
      form += (form.empty() ? "" : "&") + percent_encode(name) + "=" + percent_encode(value);
    return form;
  }

  static Fields decoded(std::string form) {
    std::ranges::replace(form, '+', ' ');
    Fields fields;
    for (std::size_t at = 0; at < form.size();) {
      const std::size_t end = std::min(form.find('&', at), form.size());
      const std::string pair = form.substr(at, end - at);
      const std::size_t equals = pair.find('=');
      fields[percent_decode(pair.substr(0, equals)).value()] = percent_decode(pair.substr(equals + 1)).value();
      at = end + 1;
    }
    return fields;
  }

  // Returns the signed text: `name=value` of all fields except those in `without`, sorted by name and joined by &.
  static std::string joined(const Fields& fields, const std::vector<std::string>& without) {
    std::string content;
    for (const auto& [name, value] : fields)
      if (std::ranges::find(without, name) == without.end())
        content += (content.empty() ? "" : "&") + name + "=" + value;
    return content;
  }

  /// Returns the signed parameters of a request: the parameters of all methods, biz_content, and `more`.
  Fields request(const std::string& method, const Object& biz, const Fields& more = {}) const {
    Fields fields{{"app_id", app_id_},   {"method", method},
                  {"format", "JSON"},    {"charset", "utf-8"},
                  {"sign_type", "RSA2"}, {"timestamp", "2026-11-21 22:00:00"},
                  {"version", "1.0"},    {"biz_content", boost::json::serialize(biz)}};
    for (const auto& [name, value] : more) fields[name] = value;
    return sign(std::move(fields));
  }
  Fields sign(Fields fields) const {
    fields["sign"] = to_base64(key_.sign(joined(fields, {"sign"})));
    return fields;
  }

  /// Sends a request like the SDKs: biz_content in the body, all other parameters in the query.
  net::HttpResponse send(Fields fields) {
    const Fields body{{"biz_content", fields["biz_content"]}};
    fields.erase("biz_content");
    net::Headers headers;
    headers.add("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8");
    return exchange("POST", "/gateway.do?" + encoded(fields), encoded(body), headers);
  }

  /// Opens a page like a payer's browser, without following redirects.
  net::HttpResponse visit_page(const Fields& fields) {
    return exchange("GET", "/gateway.do?" + encoded(fields), "", {});
  }

  /// Returns the unparsed text of the response node. Alipay's documentation defines it as the text between the key
  /// `METHOD_response` and the signature.
  static std::string raw_node(const std::string& method, const std::string& body) {
    std::string key = method + "_response\":";
    std::ranges::replace(key, '.', '_');
    const std::size_t begin = body.find(key) + key.size();
    const std::size_t end = std::min(body.rfind(",\"sign\""), body.rfind(",\"alipay_cert_sn\""));
    return body.substr(begin, end - begin);
  }

  /// Sends a request, verifies the response and returns its node.
  Object call_gateway(const std::string& method, const Object& biz, const Fields& more = {}) {
    const net::HttpResponse response = send(request(method, biz, more));
    EXPECT_EQ(response.status, 200) << response.body;
    EXPECT_EQ(response.headers.get("Content-Type"), "text/html;charset=utf-8");
    const Object answer = boost::json::parse(response.body).as_object();
    if (!answer.contains("sign")) {
      ADD_FAILURE() << "not signed: " << response.body;
      return answer;
    }
    const std::string node = raw_node(method, response.body);
    EXPECT_TRUE(alipay_key_.verifies(node, from_base64(std::string(answer.at("sign").as_string())).value_or("")))
        << response.body;
    return boost::json::parse(node).as_object();
  }

  static std::string at(const Object& node, std::string_view name) {
    const boost::json::value* value = node.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : "none";
  }
  static std::string sub_code(const Object& node) { return at(node, "sub_code"); }

  Object order_of(const std::string& out_trade_no, const std::string& scenario = "manual") const {
    return {{"out_trade_no", out_trade_no},
            {"total_amount", "12.34"},
            {"subject", "茶 Tea"},
            {"passback_params", percent_encode("scenario=" + scenario)}};
  }
  Fields notified() const { return {{"notify_url", receiver_.url()}}; }

  /// Opens a page order as the payer. Returns the trade_no.
  std::string open_page(const std::string& out_trade_no, const std::string& scenario = "manual") {
    Object order = order_of(out_trade_no, scenario);
    order["product_code"] = "FAST_INSTANT_TRADE_PAY";
    const net::HttpResponse response = visit_page(request("alipay.trade.page.pay", order, notified()));
    EXPECT_EQ(response.status, 302) << response.body;
    const std::string location(response.headers.get("Location"));
    EXPECT_TRUE(location.starts_with("/wallet/")) << location;
    return location.substr(location.rfind('/') + 1);
  }

  Object precreate(const std::string& out_trade_no, const std::string& scenario = "manual") {
    return call_gateway("alipay.trade.precreate", order_of(out_trade_no, scenario), notified());
  }
  Object query(const std::string& out_trade_no) {
    return call_gateway("alipay.trade.query", {{"out_trade_no", out_trade_no}});
  }
  Object close(const std::string& out_trade_no) {
    return call_gateway("alipay.trade.close", {{"out_trade_no", out_trade_no}});
  }
  Object refund(const std::string& out_trade_no, const std::string& amount, const std::string& number) {
    return call_gateway("alipay.trade.refund",
                        {{"out_trade_no", out_trade_no}, {"refund_amount", amount}, {"out_request_no", number}});
  }
  Object query_refund(const std::string& out_trade_no, const std::string& number) {
    return call_gateway("alipay.trade.fastpay.refund.query",
                        {{"out_trade_no", out_trade_no}, {"out_request_no", number}});
  }

  Object wait_for_status(const std::string& out_trade_no, const std::string& status) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    Object node = query(out_trade_no);
    while (at(node, "trade_status") != status && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(Duration{10});
      node = query(out_trade_no);
    }
    EXPECT_EQ(at(node, "trade_status"), status);
    return node;
  }

  bool is_genuine(const Fields& notification) const {
    return alipay_key_.verifies(joined(notification, {"sign", "sign_type"}),
                                from_base64(notification.at("sign")).value_or(""));
  }

  /// Waits for `count` notifications, verifies them and returns their parameters.
  std::vector<Fields> notifications(std::size_t count) {
    std::vector<Fields> all;
    for (const net::HttpRequest& request : receiver_.wait_for(count)) {
      EXPECT_EQ(request.method, "POST");
      EXPECT_TRUE(request.headers.get("Content-Type").starts_with("application/x-www-form-urlencoded"));
      all.push_back(decoded(request.body));
      EXPECT_TRUE(is_genuine(all.back())) << request.body;
      for (const auto& [name, value] : all.back()) EXPECT_FALSE(value.empty()) << name;
    }
    return all;
  }

  std::string app_id_ = "2021000000000001";
  RsaPrivateKey key_ = RsaPrivateKey::parse(Secret(text_of(handed_out("app_private_key.pem")))).value();
  RsaPublicKey alipay_key_ = RsaPublicKey::parse(text_of(handed_out("alipay_public_key.pem"))).value();
};

}  // namespace finality::sandbox
