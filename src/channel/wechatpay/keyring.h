// Immutable set of the keys with which a WeChat Pay adapter signs, verifies and decrypts. A rotation creates a new
// keyring; calls in progress complete with the keyring they started with.
#pragma once

#include <string>

#include "channel/wechatpay/channel.h"
#include "channel/wechatpay/platform_keys.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {

struct Keyring {
  Signer signer;
  Secret api_v3_key;
  std::string signing_key_id;  // id of the public key that WeChat must sign with; empty: any certificate
  PlatformKeys configured;     // keys that the operator configured
  PlatformKeys fetched;        // certificates fetched from WeChat
  PlatformKeys trusted;        // all keys of `configured` and `fetched`
};

/// Makes the keyring of the configured keys. The error names the invalid key and the reason.
Result<Keyring> make_keyring(const WechatpayKeys& keys, std::string mchid);

/// The keyring with the certificates `fetched` instead of those fetched before.
Keyring with_fetched(Keyring keyring, PlatformKeys fetched);

}  // namespace finality::wechatpay
