// The keys with which a WeChat Pay adapter signs, verifies and decrypts. A keyring in use is never modified: a key
// rotation creates a new keyring, and a call in progress completes with the keyring with which it started.
#pragma once

#include <string>

#include "channel/wechatpay/channel.h"
#include "channel/wechatpay/platform_keys.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {

struct Keyring {
  Signer signer;
  Secret api_v3_key;
  std::string signing_key_id;  // id of the key with which WeChat must sign; empty: WeChat may use any certificate
  PlatformKeys configured;     // public keys and certificates from the configuration
  PlatformKeys fetched;        // keys of the certificates fetched from WeChat
  PlatformKeys trusted;        // all keys of `configured` and `fetched`
};

/// Makes a keyring from the configured keys. The error names the invalid key and the reason.
Result<Keyring> make_keyring(const WechatpayKeys& keys, std::string mchid);

/// Returns the keyring with `fetched` instead of the previously fetched certificates.
Keyring with_fetched(Keyring keyring, PlatformKeys fetched);

}  // namespace finality::wechatpay
