#include "channel/wechatpay/keyring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace finality::wechatpay {
namespace {

constexpr std::size_t kApiV3KeyBytes = 32;
constexpr std::string_view kPublicKeyPrefix = "PUB_KEY_ID_";

bool is_key_id(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool is_hex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

Result<Keyring> make_keyring(const WechatpayKeys& keys, std::string mchid) {
  if (!is_hex(keys.merchant_serial)) return fail("the serial number of the merchant's certificate must be hexadecimal");
  if (keys.api_v3_key.reveal().size() != kApiV3KeyBytes)
    return fail(fmt::format("api_v3_key: the APIv3 key must have exactly {} bytes, not {}", kApiV3KeyBytes,
                            keys.api_v3_key.reveal().size()));
  Keyring keyring{.signer = {std::move(mchid), keys.merchant_serial, keys.private_key}, .api_v3_key = keys.api_v3_key};
  for (const auto& [id, key] : keys.public_keys) {
    if (!id.starts_with(kPublicKeyPrefix) || !is_key_id(id))
      return fail("public_keys: an id must begin with PUB_KEY_ID_ and have only letters, digits and '_', not " + id);
    keyring.configured.add(id, key);
    keyring.signing_key_id = id;
  }
  for (const Certificate& certificate : keys.platform_certificates)
    if (const auto added = keyring.configured.add(certificate); !added)
      return fail("platform_certificates: " + added.error().message);
  keyring.trusted = keyring.configured;
  return keyring;
}

Keyring with_fetched(Keyring keyring, PlatformKeys fetched) {
  keyring.trusted = keyring.configured;
  keyring.trusted.add(fetched);
  keyring.fetched = std::move(fetched);
  return keyring;
}

}  // namespace finality::wechatpay
