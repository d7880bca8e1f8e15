// Test fixture: a merchant of the WeChat Pay gateway. Signs, verifies and decrypts with its own code on top of
// src/base/, so that errors in the gateway's code are detected.
#pragma once

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/crypto/aes_gcm.h"
#include "base/crypto/certificate.h"
#include "base/crypto/encoding.h"
#include "base/crypto/rsa.h"
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

class WechatpayTest : public TestWorld {
 protected:
  struct Request {
    std::string method = "GET";
    std::string target;
    std::string body;
    std::string requested_serial;      // Wechatpay-Serial; empty: the header is omitted
    std::optional<std::string> mchid;  // in Authorization, like serial_no; empty: the value of the account
    std::optional<std::string> serial_no;
    std::int64_t seconds_off = 0;
    std::string signed_body;  // body in the signed text; empty: `body`
    bool has_user_agent = true;
  };

  static std::filesystem::path handed_out(const std::string& name, const std::string& merchant = "merchant") {
    return shared_keys() / "wechatpay" / merchant / name;
  }

  /// Switches to the merchant whose files are in the directory `merchant`.
  void act_as(const std::string& merchant) {
    account_ = account_of(merchant);
    key_ = key_of(merchant);
    keys_ = keys_of(account_, merchant);
    api_v3_key_ = read_text(handed_out("api_v3_key", merchant));
  }

  std::string account(std::string_view name) const { return std::string(account_.at(name).as_string()); }

  std::string sign(const std::string& message) const { return to_base64(key_.sign(message)); }

  net::Headers headers_of(const Request& request) const {
    const std::string timestamp = fmt::format("{}", SystemClock().now().ms / 1000 + request.seconds_off);
    const std::string nonce = random_hex(16);
    const std::string& body = request.signed_body.empty() ? request.body : request.signed_body;
    const std::string signature =
        sign(fmt::format("{}\n{}\n{}\n{}\n{}\n", request.method, request.target, timestamp, nonce, body));
    net::Headers headers;
    // The order of the parameters differs from the documentation on purpose: the gateway must accept any order.
    headers.add("Authorization",
                fmt::format("WECHATPAY2-SHA256-RSA2048 serial_no=\"{}\",signature=\"{}\",nonce_str=\"{}\","
                            "timestamp=\"{}\",mchid=\"{}\"",
                            request.serial_no.value_or(account("serial_no")), signature, nonce, timestamp,
                            request.mchid.value_or(account("mchid"))));
    headers.add("Accept", "application/json");
    headers.add("Content-Type", "application/json");
    if (!request.requested_serial.empty()) headers.add("Wechatpay-Serial", request.requested_serial);
    return headers;
  }

  /// Sends a signed request. Expects a valid signature of a successful response and no signature of an error.
  SandboxReply send_signed(const Request& request) {
    SandboxReply answer = read(exchange(request.method, request.target, request.body, headers_of(request)));
    if (answer.status >= 400) {
      EXPECT_EQ(answer.response.headers.get("Wechatpay-Signature"), "") << request.target;
    } else {
      expect_genuine(answer.response.headers, answer.response.body);
      const std::string& requested = request.requested_serial;
      EXPECT_EQ(answer.response.headers.get("Wechatpay-Serial"),
                requested.empty() ? account("platform_serial_no") : requested);
    }
    return answer;
  }
  SandboxReply post(const std::string& target, const boost::json::object& body) {
    return send_signed({.method = "POST", .target = target, .body = boost::json::serialize(body)});
  }
  SandboxReply get(const std::string& target) { return send_signed({.target = target}); }

  bool is_genuine(const net::Headers& headers, const std::string& body) const {
    const std::string timestamp(headers.get("Wechatpay-Timestamp"));
    const std::string message = fmt::format("{}\n{}\n{}\n", timestamp, headers.get("Wechatpay-Nonce"), body);
    const auto signature = from_base64(headers.get("Wechatpay-Signature"));
    const auto signer = keys_.find(std::string(headers.get("Wechatpay-Serial")));
    if (timestamp.empty() || !signature || signer == keys_.end()) return false;
    const bool is_fresh = std::abs(std::stoll(timestamp) - SystemClock().now().ms / 1000) <= 300;
    return is_fresh && signer->second.verifies(message, *signature);
  }
  void expect_genuine(const net::Headers& headers, const std::string& body) const {
    EXPECT_TRUE(is_genuine(headers, body)) << body;
    EXPECT_EQ(headers.get("Wechatpay-Signature-Type"), "WECHATPAY2-SHA256-RSA2048");
  }

  boost::json::object wechat_order(const std::string& out_trade_no, const std::string& scenario = "manual") const {
    return {{"appid", account("appid")},
            {"mchid", account("mchid")},
            {"description", "Tea & 饼干"},
            {"out_trade_no", out_trade_no},
            {"notify_url", receiver_.url()},
            {"attach", "scenario=" + scenario},
            {"amount", {{"total", 1234}, {"currency", "CNY"}}}};
  }
  SandboxReply prepay(const boost::json::object& order, const std::string& product = "native") {
    return post("/v3/pay/transactions/" + product, order);
  }
  SandboxReply prepay(const std::string& out_trade_no, const std::string& scenario) {
    return prepay(wechat_order(out_trade_no, scenario));
  }
  std::string query_target(const std::string& out_trade_no) const {
    return "/v3/pay/transactions/out-trade-no/" + out_trade_no + "?mchid=" + account("mchid");
  }
  SandboxReply query(const std::string& out_trade_no) { return get(query_target(out_trade_no)); }
  SandboxReply close(const std::string& out_trade_no) {
    return post("/v3/pay/transactions/out-trade-no/" + out_trade_no + "/close", {{"mchid", account("mchid")}});
  }
  SandboxReply refund(const std::string& out_refund_no, const std::string& transaction_id, std::int64_t amount,
                      std::int64_t total = 1234) {
    return post("/v3/refund/domestic/refunds",
                {{"transaction_id", transaction_id},
                 {"out_refund_no", out_refund_no},
                 {"reason", "too cold"},
                 {"notify_url", receiver_.url()},
                 {"amount", {{"refund", amount}, {"total", total}, {"currency", "CNY"}}}});
  }
  SandboxReply query_refund(const std::string& out_refund_no) {
    return get("/v3/refund/domestic/refunds/" + out_refund_no);
  }

  /// Calls `question`, which sends a request, until `field` of the reply equals `value`. Returns the last reply.
  SandboxReply wait_until(const std::function<SandboxReply()>& question, std::string_view field,
                          std::string_view value) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    SandboxReply answer = question();
    const auto is_so = [&] {
      return answer.status == 200 && answer.json.is_object() && answer.json.as_object().contains(field) &&
             answer.text(field) == value;
    };
    while (!is_so() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(Duration{10});
      answer = question();
    }
    EXPECT_TRUE(is_so()) << field << " is not " << value << ": " << answer.response.body;
    return answer;
  }
  SandboxReply wait_for_trade(const std::string& out_trade_no, std::string_view state) {
    return wait_until([&] { return query(out_trade_no); }, "trade_state", state);
  }
  SandboxReply wait_for_refund(const std::string& out_refund_no, std::string_view status) {
    return wait_until([&] { return query_refund(out_refund_no); }, "status", status);
  }

  struct Callback {
    boost::json::object envelope;
    boost::json::object resource;  // the decrypted resource
    std::string event() const { return std::string(envelope.at("event_type").as_string()); }
    std::string text(std::string_view field) const { return std::string(resource.at(field).as_string()); }
  };
  /// Verifies the signature of a callback and decrypts its resource.
  Callback open(const net::HttpRequest& request) const {
    expect_genuine(request.headers, request.body);
    Callback callback{.envelope = boost::json::parse(request.body).as_object()};
    callback.resource = boost::json::parse(decrypt(callback.envelope.at("resource").as_object())).as_object();
    return callback;
  }
  std::vector<Callback> callbacks(std::size_t count) {
    std::vector<Callback> opened;
    for (const auto& request : receiver_.wait_for(count)) opened.push_back(open(request));
    return opened;
  }
  std::string decrypt(const boost::json::object& resource) const {
    EXPECT_EQ(resource.at("algorithm"), "AEAD_AES_256_GCM");
    const auto cipher = from_base64(std::string(resource.at("ciphertext").as_string()));
    const auto plain =
        aes_256_gcm_decrypt(api_v3_key_, std::string_view(resource.at("nonce").as_string()),
                            std::string_view(resource.at("associated_data").as_string()), cipher.value_or(""));
    EXPECT_TRUE(plain) << "not encrypted with the APIv3 key";
    return plain.value_or("{}");
  }

  boost::json::array ledger() { return visit("GET", "/ledger").json.at("trades").as_array(); }

  std::string today() const { return to_rfc3339(SystemClock().now() + std::chrono::hours(8)).substr(0, 10); }

 private:
  static boost::json::object account_of(const std::string& merchant) {
    return boost::json::parse(read_text(handed_out("account.json", merchant))).as_object();
  }
  static RsaPrivateKey key_of(const std::string& merchant) {
    return *RsaPrivateKey::parse(Secret(read_text(handed_out("private_key.pem", merchant))));
  }
  static std::map<std::string, RsaPublicKey> keys_of(const boost::json::object& account, const std::string& merchant) {
    const auto certificate = Certificate::parse(read_text(handed_out("platform_certificate.pem", merchant)));
    const auto public_key = RsaPublicKey::parse(read_text(handed_out("wechatpay_public_key.pem", merchant)));
    return {{std::string(account.at("platform_serial_no").as_string()), *certificate->public_key()},
            {std::string(account.at("public_key_id").as_string()), *public_key}};
  }

  boost::json::object account_ = account_of("merchant");
  RsaPrivateKey key_ = key_of("merchant");
  std::map<std::string, RsaPublicKey> keys_ = keys_of(account_, "merchant");
  std::string api_v3_key_ = read_text(handed_out("api_v3_key"));
};

}  // namespace finality::sandbox
