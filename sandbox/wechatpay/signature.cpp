#include "sandbox/wechatpay/signature.h"

#include <fmt/format.h>

#include <optional>

#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/time/unix_time.h"

namespace finality::sandbox {
namespace {

constexpr std::string_view kScheme = "WECHATPAY2-SHA256-RSA2048";
constexpr std::string_view kProbe = "WECHATPAY/SIGNTEST/";
constexpr std::size_t kNonceBytes = 16;

using Parameters = std::map<std::string, std::string, std::less<>>;

// Parses the parameters of Authorization, in any order. Empty when the header does not have WeChat Pay's scheme and a
// comma-separated list of `name="value"`.
Parameters parse_authorization(std::string_view text) {
  if (!text.starts_with(kScheme) || !text.substr(kScheme.size()).starts_with(' ')) return {};
  text.remove_prefix(kScheme.size() + 1);
  Parameters parameters;
  for (;;) {
    const std::size_t opening = text.find("=\"");
    if (opening == std::string_view::npos) return {};
    const std::size_t closing = text.find('"', opening + 2);
    if (closing == std::string_view::npos) return {};
    const auto [at, is_new] =
        parameters.emplace(text.substr(0, opening), text.substr(opening + 2, closing - opening - 2));
    if (!is_new) return {};
    text.remove_prefix(closing + 1);
    if (text.empty()) return parameters;
    if (!text.starts_with(',')) return {};
    text.remove_prefix(1);
  }
}

std::string_view value_of(const Parameters& parameters, std::string_view name) {
  const auto at = parameters.find(name);
  return at == parameters.end() ? std::string_view() : at->second;
}

bool verifies(const RsaPublicKey& key, std::string_view message, std::string_view signature) {
  const auto bytes = from_base64(signature);
  return bytes && key.verifies(message, *bytes);
}

void add_headers(const WechatpaySigner& signer, Time now, std::string_view body, std::string_view before,
                 net::Headers& headers) {
  const std::string timestamp = to_unix_seconds(now);
  const std::string nonce = random_hex(kNonceBytes);
  const std::string signature = signer.key.sign(fmt::format("{}\n{}\n{}\n", timestamp, nonce, body));
  headers.add("Wechatpay-Timestamp", timestamp);
  headers.add("Wechatpay-Nonce", nonce);
  headers.add("Wechatpay-Signature", std::string(before) + to_base64(signature));
  headers.add("Wechatpay-Signature-Type", std::string(kScheme));
  headers.add("Wechatpay-Serial", signer.serial);
}

}  // namespace

std::string named_mchid(const net::HttpRequest& request) {
  return std::string(value_of(parse_authorization(request.headers.get("Authorization")), "mchid"));
}

WechatpaySignatureError signature_error_of(const WechatpayAccount& account, const net::HttpRequest& request, Time now) {
  const Parameters parameters = parse_authorization(request.headers.get("Authorization"));
  const std::string_view timestamp = value_of(parameters, "timestamp");
  const std::string_view nonce = value_of(parameters, "nonce_str");
  const std::optional<Time> signed_at = parse_unix_seconds(timestamp);
  if (!signed_at || nonce.empty()) return WechatpaySignatureError::malformed;
  if (std::chrono::abs(now - *signed_at) > kWechatpayTolerance) return WechatpaySignatureError::stale;
  const bool is_known_merchant = value_of(parameters, "mchid") == account.merchant.mchid &&
                                 net::equals_ignoring_case(value_of(parameters, "serial_no"), account.merchant_serial);
  const std::string message =
      fmt::format("{}\n{}\n{}\n{}\n{}\n", request.method, request.target, timestamp, nonce, request.body);
  const bool is_genuine =
      is_known_merchant && verifies(account.merchant_key, message, value_of(parameters, "signature"));
  return is_genuine ? WechatpaySignatureError::none : WechatpaySignatureError::forged;
}

void sign_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers) {
  add_headers(signer, now, body, "", headers);
}

void probe_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers) {
  add_headers(signer, now, body, kProbe, headers);
}

bool is_signed_by_merchant(const WechatpayAccount& account, std::string_view appid, std::string_view timestamp,
                           std::string_view nonce, std::string_view package, std::string_view signature) {
  return verifies(account.merchant_key, fmt::format("{}\n{}\n{}\n{}\n", appid, timestamp, nonce, package), signature);
}

}  // namespace finality::sandbox
