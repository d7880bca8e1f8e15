#include <fmt/format.h>

#include "channel/wechatpay/wechatpay_channel.h"

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

}  // namespace finality
