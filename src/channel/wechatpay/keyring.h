// Everything a WeChat Pay adapter signs, verifies and decrypts with at one moment. It never changes: a rotation makes
// another one, and whoever is under way ends with the one it began with.
#pragma once

#include <string>

#include "channel/wechatpay/channel.h"
#include "channel/wechatpay/platform_keys.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {

struct Keyring {
  Signer signer;
  Secret api_v3_key;
  std::string asks_for;     // the public key that WeChat is to sign with; empty: by a certificate of its choice
  PlatformKeys configured;  // by the operator
  PlatformKeys fetched;     // certificates from WeChat itself
  PlatformKeys believed;    // both
};

/// An error says which key cannot be used, and why.
Result<Keyring> make_keyring(const WechatpayKeys& keys, std::string mchid);

/// With these certificates in place of those fetched before.
Keyring with_fetched(Keyring keyring, PlatformKeys fetched);

}  // namespace finality::wechatpay
