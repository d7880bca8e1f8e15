#include "channel/wechatpay/certificates.h"

#include <fmt/format.h>

#include <algorithm>

#include "channel/parsing/json_fields.h"
#include "channel/wechatpay/cipher.h"
#include "channel/wechatpay/codes.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {
namespace {

// Required associated_data of an encrypted certificate. Content that WeChat encrypted with the same key for another
// purpose, such as a notification, has different associated_data and is rejected.
constexpr std::string_view kPurpose = "certificate";
constexpr std::size_t kCodeBytesMax = 64;
constexpr std::size_t kMessageBytesMax = 500;

Result<Certificate> read_certificate(const boost::json::value& entry, const Secret& api_v3_key) {
  const boost::json::object* object = entry.if_object();
  const boost::json::object* encrypted = object ? object_field(*object, "encrypt_certificate") : nullptr;
  if (encrypted == nullptr) return fail("encrypt_certificate is missing");
  if (text_field(*encrypted, "associated_data", kPurpose.size()) != kPurpose)
    return fail("encrypt_certificate.associated_data is not \"certificate\"");
  const auto pem = decrypt(*encrypted, api_v3_key);
  if (!pem) return std::unexpected(pem.error());
  return Certificate::parse(*pem);
}

Result<PlatformKeys> read_list(std::string_view body, const Secret& api_v3_key, Time asked_at) {
  const auto object = parse_object(body);
  const boost::json::value* data = object ? object->if_contains("data") : nullptr;
  const boost::json::array* list = data ? data->if_array() : nullptr;
  if (list == nullptr) return fail("the response has no array data with certificates");
  PlatformKeys keys;
  for (const boost::json::value& entry : *list) {
    const auto certificate = read_certificate(entry, api_v3_key);
    if (!certificate) return fail("a certificate is invalid: " + certificate.error().message);
    if (certificate->not_after() <= asked_at) continue;
    if (const auto added = keys.add(*certificate); !added) return std::unexpected(added.error());
  }
  if (keys.empty()) return fail("all certificates in the response have expired");
  return keys;
}

// Returns the error message for a refusal: HTTP status, WeChat's code and message, and the settings to check.
std::string refusal_of(const net::HttpResponse& http) {
  const auto body = parse_object(http.body);
  const auto code = body ? text_field(*body, "code", kCodeBytesMax) : std::nullopt;
  if (!code) return fmt::format("HTTP {}", http.status);
  const std::string_view message = text_field(*body, "message", kMessageBytesMax).value_or("");
  const std::string_view settings = config_hint(*code);
  std::string text =
      fmt::format("HTTP {} {} ({}){}{}", http.status, *code, message, settings.empty() ? "" : ": ", settings);
  std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');  // log lines have no control characters
  return text;
}

Result<PlatformKeys> read(const net::HttpResponse& http, const Secret& api_v3_key, const PlatformKeys& trusted_keys,
                          Time asked_at) {
  if (http.status != 200) return fail(refusal_of(http));
  auto keys = read_list(http.body, api_v3_key, asked_at);
  if (!keys) return keys;
  PlatformKeys trusted = trusted_keys;
  trusted.add(*keys);
  const auto genuine = check_signature(trusted, http.headers, http.body, asked_at);
  if (!genuine) return std::unexpected(genuine.error());
  return keys;
}

}  // namespace

Result<PlatformKeys> read_certificates(const UpstreamResponse& response, const Secret& api_v3_key,
                                       const PlatformKeys& trusted_keys, Time asked_at) {
  if (!response.http) return fail("cannot fetch WeChat Pay's certificates: " + response.failure);
  auto keys = read(*response.http, api_v3_key, trusted_keys, asked_at);
  if (!keys) return fail("cannot use WeChat Pay's certificates: " + keys.error().message);
  return keys;
}

}  // namespace finality::wechatpay
