#include <fmt/format.h>

#include "channel/wechatpay/channel.h"

namespace finality {
namespace {

template <class Value>
Result<Value> named(Result<Value> value, std::string_view what) {
  if (!value) return fail(fmt::format("{}: {}", what, value.error().message));
  return value;
}

}  // namespace

Result<WechatpayKeys> read_wechatpay_keys(const WechatpayKeyTexts& texts) {
  auto private_key = named(RsaPrivateKey::parse(texts.private_key), "private_key");
  if (!private_key) return std::unexpected(private_key.error());
  WechatpayKeys keys{texts.merchant_serial, std::move(*private_key), texts.api_v3_key, {}, {}};
  for (const auto& [id, pem] : texts.public_keys) {
    auto key = named(RsaPublicKey::parse(pem), "public_keys." + id);
    if (!key) return std::unexpected(key.error());
    keys.public_keys.push_back({id, std::move(*key)});
  }
  if (texts.platform_certificates.empty()) return keys;
  auto certificates = named(Certificate::parse_all(texts.platform_certificates), "platform_certificates");
  if (!certificates) return std::unexpected(certificates.error());
  keys.platform_certificates = std::move(*certificates);
  return keys;
}

Result<WechatpayKeys> wechatpay_keys_of(const ChannelTexts& texts) {
  const auto certificate = named(Certificate::parse(texts.text("certificate")), "certificate");
  if (!certificate) return std::unexpected(certificate.error());
  const auto certified = named(certificate->public_key(), "certificate");
  if (!certified) return std::unexpected(certified.error());
  auto keys = read_wechatpay_keys({.merchant_serial = certificate->serial_hex(),
                                   .private_key = texts.secret("private_key"),
                                   .api_v3_key = texts.secret("api_v3_key"),
                                   .public_keys = texts.table("public_keys"),
                                   .platform_certificates = texts.text("platform_certificates")});
  if (keys && keys->private_key.public_key().to_pem() != certified->to_pem())
    return fail("certificate: the merchant's certificate does not match the private key");
  return keys;
}

}  // namespace finality
