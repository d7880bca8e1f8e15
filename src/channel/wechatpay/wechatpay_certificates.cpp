#include "channel/wechatpay/wechatpay_certificates.h"

#include <fmt/format.h>

#include "channel/json_fields.h"
#include "channel/wechatpay/wechatpay_cipher.h"
#include "channel/wechatpay/wechatpay_signature.h"

namespace finality::wechatpay {
namespace {

Result<Certificate> read_certificate(const boost::json::value& entry, const Secret& api_v3_key) {
  const boost::json::object* object = entry.if_object();
  const boost::json::object* encrypted = object ? object_field(*object, "encrypt_certificate") : nullptr;
  if (encrypted == nullptr) return fail("it has no encrypt_certificate");
  const auto pem = decrypt(*encrypted, api_v3_key);
  if (!pem) return std::unexpected(pem.error());
  return Certificate::parse(*pem);
}

Result<PlatformKeys> read_list(std::string_view body, const Secret& api_v3_key, Time asked_at) {
  const auto object = parse_object(body);
  const boost::json::value* data = object ? object->if_contains("data") : nullptr;
  const boost::json::array* list = data ? data->if_array() : nullptr;
  if (list == nullptr) return fail("it has no list of certificates");
  PlatformKeys keys;
  for (const boost::json::value& entry : *list) {
    const auto certificate = read_certificate(entry, api_v3_key);
    if (!certificate) return fail("one of them is not believed: " + certificate.error().message);
    if (certificate->not_after() <= asked_at) continue;
    if (const auto added = keys.add(*certificate); !added) return std::unexpected(added.error());
  }
  if (keys.empty()) return fail("none of them is valid now");
  return keys;
}

Result<PlatformKeys> read(const net::HttpResponse& http, const Secret& api_v3_key, const PlatformKeys& known,
                          Time asked_at) {
  if (http.status != 200) return fail(fmt::format("WeChat Pay answered {}", http.status));
  auto keys = read_list(http.body, api_v3_key, asked_at);
  if (!keys) return keys;
  PlatformKeys believed = known;
  believed.add(*keys);
  const auto genuine = check_signature(believed, http.headers, http.body, asked_at);
  if (!genuine) return std::unexpected(genuine.error());
  return keys;
}

}  // namespace

Result<PlatformKeys> read_certificates(const UpstreamResponse& response, const Secret& api_v3_key,
                                       const PlatformKeys& known, Time asked_at) {
  if (!response.http) return fail("WeChat Pay did not answer with its certificates: " + response.failure);
  auto keys = read(*response.http, api_v3_key, known, asked_at);
  if (!keys) return fail("WeChat Pay's certificates are not taken: " + keys.error().message);
  return keys;
}

}  // namespace finality::wechatpay
